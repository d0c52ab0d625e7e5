import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Button, Header, MenuSection } from 'react-aria-components'
import { MODE } from '../api/mode.ts'
import { type Session, signOut, useSession } from '../api/session.ts'
import { reasonOf } from '../design/error-note.tsx'
import { CircleUser, KeyRound, LogOut, MonitorSmartphone } from '../design/icon.gen.tsx'
import { Menu, MenuItem, MenuLine } from '../design/menu.tsx'
import { toast } from '../design/toast.tsx'

/** The signed-in user, their sessions, and signing out. */
export function MeMenu() {
  const session = useSession()
  const navigate = useNavigate()
  const leave = useSignOut()
  if (!session) return null
  return (
    <Menu
      trigger={
        <Button
          aria-label={`Signed in as ${session.name}`}
          className="flex h-7 cursor-default items-center gap-1.5 rounded-md px-1.5 text-ink-soft hover:bg-hover hover:text-ink"
        >
          <CircleUser size={16} aria-hidden="true" />
          <span className="max-w-32 truncate text-sm max-lg:hidden">{session.name}</span>
        </Button>
      }
    >
      <MenuSection>
        <Header className="px-2 pt-1 pb-2">
          <span className="block font-medium">{session.name}</span>
          <span className="block text-xs text-ink-faint">{roleText(session)}</span>
        </Header>
        {MODE === 'control-plane' && (
          <>
            <MenuItem
              icon={<MonitorSmartphone size={16} />}
              onAction={() => void navigate({ to: '/settings/sessions' })}
            >
              Where I am signed in
            </MenuItem>
            <MenuItem
              icon={<KeyRound size={16} />}
              onAction={() => void navigate({ to: '/settings/keys' })}
            >
              API keys
            </MenuItem>
          </>
        )}
      </MenuSection>
      <MenuLine />
      <MenuItem icon={<LogOut size={16} />} onAction={() => void leave()}>
        Sign out
      </MenuItem>
    </Menu>
  )
}

/** Ends the session and leads to the sign-in page. */
export function useSignOut(): () => Promise<void> {
  const queries = useQueryClient()
  const navigate = useNavigate()
  return async () => {
    try {
      await signOut()
      await navigate({ to: '/sign-in' })
      // Active queries stay: the sign-in page's are running by now.
      queries.removeQueries({ type: 'inactive' })
    } catch (error) {
      toast(`You are still signed in. ${reasonOf(error)}`, { tone: 'bad' })
    }
  }
}

function roleText({ role, kind, is_operator }: Session): string {
  if (MODE === 'agent-server') return 'The Studio of one agent server'
  const with_ = kind === 'user' ? 'signed in by your organisation' : 'with an API key'
  return `${is_operator ? `${role}, runs the installation` : role} · ${with_}`
}
