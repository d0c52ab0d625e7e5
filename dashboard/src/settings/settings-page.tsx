/** Keys, users, the audit log, listeners and the installation. Each view is offered only to users who may use it. */
import { useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { type Permission, useMay, useSession } from '../api/session.ts'
import { Empty } from '../design/empty.tsx'
import { NavTabs, Page } from '../design/page.tsx'
import { Skeleton } from '../design/skeleton.tsx'
import { AuditView } from './audit-view.tsx'
import { EncryptionView } from './encryption-view.tsx'
import { KeysView } from './keys-view.tsx'
import { ListenersView } from './listeners-view.tsx'
import { PeopleView } from './people-view.tsx'
import { SessionsView } from './sessions-view.tsx'
import { WorkspacesView } from './workspaces-view.tsx'

interface View {
  id: string
  label: string
  needs: Permission
  content: () => ReactNode
}

const VIEWS: readonly View[] = [
  { id: 'keys', label: 'API keys', needs: 'administer', content: KeysView },
  { id: 'people', label: 'People', needs: 'administer', content: PeopleView },
  { id: 'sessions', label: 'My sessions', needs: 'read', content: SessionsView },
  { id: 'workspaces', label: 'Workspaces', needs: 'operate', content: WorkspacesView },
  { id: 'listeners', label: 'Listeners', needs: 'read', content: ListenersView },
  { id: 'audit', label: 'Audit log', needs: 'administer', content: AuditView },
  { id: 'encryption', label: 'Encryption key', needs: 'operate', content: EncryptionView },
]

export function SettingsPage() {
  const { view } = useParams({ strict: false }) as { view?: string }
  const session = useSession()
  const mayAdminister = useMay('administer')
  const mayOperate = useMay('operate')
  const isOffered = ({ needs }: View) =>
    needs === 'read' || (needs === 'operate' ? mayOperate : mayAdminister)
  const offered = VIEWS.filter(isOffered)
  const shown = view ? VIEWS.find(({ id }) => id === view) : offered[0]
  return (
    <Page title={shown?.label ?? 'Settings'}>
      {session ? (
        <>
          <NavTabs tabs={offered.map(({ id, label }) => ({ to: `/settings/${id}`, label }))} />
          {shown && isOffered(shown) ? <shown.content /> : <NotOffered view={shown} />}
        </>
      ) : (
        <Skeleton lines={5} />
      )}
    </Page>
  )
}

function NotOffered({ view }: { view: View | undefined }) {
  if (!view) return <Empty title="There are no such settings." />
  const who =
    view.needs === 'operate'
      ? 'those who run the installation: admins of its first workspace'
      : 'admins of this workspace'
  return <Empty title={`${view.label}: not with your role.`}>This is for {who}.</Empty>
}
