import { Button } from 'react-aria-components'
import { useSession } from '../api/session.ts'
import { chooseWorkspace, chosenWorkspace } from '../api/workspace.ts'
import { ChevronsUpDown } from '../design/icon.gen.tsx'
import { Menu, MenuItem } from '../design/menu.tsx'

/** The current workspace, and a menu of the user's others. */
export function WorkspaceSwitcher() {
  const session = useSession()
  if (!session) return <span className="inline-block w-20" />
  const id = chosenWorkspace() ?? session.workspace_id
  const name = session.workspaces.find((one) => one.id === id)?.name ?? 'Workspace'
  if (session.workspaces.length < 2) return <span className="px-1 text-ink-soft">{name}</span>
  return (
    <Menu
      align="start"
      trigger={
        <Button
          aria-label={`Workspace ${name}`}
          className="flex h-7 cursor-default items-center gap-1 rounded-md px-1.5 text-ink-soft hover:bg-hover hover:text-ink"
        >
          <span className="max-w-40 truncate">{name}</span>
          <ChevronsUpDown size={12} aria-hidden="true" />
        </Button>
      }
    >
      {session.workspaces.map((one) => (
        <MenuItem key={one.id} isChecked={one.id === id} onAction={() => chooseWorkspace(one.id)}>
          {one.name}
        </MenuItem>
      ))}
    </Menu>
  )
}
