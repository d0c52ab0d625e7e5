import type { Session } from '@runyard/client'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useSession } from '../api/session.ts'
import { Button } from '../design/button.tsx'
import { Empty } from '../design/empty.tsx'
import { ConfirmDialog } from '../design/form-dialog.tsx'
import { QueryView } from '../design/query-view.tsx'
import { type Column, Table } from '../design/table.tsx'
import { countText } from '../design/text/format.ts'
import { Time } from '../design/text/time.tsx'
import { toast } from '../design/toast.tsx'
import { endSession, sessionsQuery } from './queries.ts'

/** A signed-in user with all their browsers. */
interface Person {
  user_id: string
  name: string
  kind: Session['kind']
  role: Session['role']
  last_used_at: string
  sessions: Session[]
}

/** The users signed in to this workspace, by key or by the organisation's identity provider. */
export function PeopleView() {
  const query = useQuery(sessionsQuery({ all: true }))
  const queries = useQueryClient()
  const me = useSession()?.user_id
  const [leaving, setLeaving] = useState<Person>()
  return (
    <>
      <p className="mb-3 max-w-prose text-ink-soft">
        People who are signed in with a browser. Roles come from their API key, or from your
        identity provider, where Runyard is set up with one (<code>RUNYARD_OIDC_ISSUER</code>).
      </p>
      <QueryView query={query} what="the people">
        {(sessions) => (
          <Table
            label="People"
            columns={columnsFor(me, setLeaving)}
            rows={peopleOf(sessions)}
            keyOf={({ user_id }) => user_id}
            empty={<Empty title="No open sessions." />}
          />
        )}
      </QueryView>
      <ConfirmDialog
        title={`Sign out ${leaving?.name ?? ''}`}
        verb="Sign them out"
        isOpen={leaving !== undefined}
        onClose={() => setLeaving(undefined)}
        onConfirm={async () => {
          await Promise.all(leaving?.sessions.map(({ id }) => endSession(id)) ?? [])
          await queries.invalidateQueries({ queryKey: ['settings', 'sessions'] })
          toast(`${leaving?.name} is signed out.`)
        }}
      >
        <p>
          All of their browsers ({leaving?.sessions.length}) are signed out. They can sign in again
          as long as their key or their account is good.
        </p>
      </ConfirmDialog>
    </>
  )
}

function columnsFor(
  me: string | undefined,
  signOut: (person: Person) => void,
): readonly Column<Person>[] {
  return [
    {
      id: 'name',
      header: 'Name',
      isRowHeader: true,
      isWide: true,
      cell: ({ name, user_id }) => (
        <>
          <span className="font-medium">{name}</span>
          {user_id === me && <span className="text-ink-faint"> (you)</span>}
        </>
      ),
    },
    {
      id: 'kind',
      header: 'Signed in with',
      from: 'sm',
      cell: ({ kind }) => (kind === 'user' ? 'Identity provider' : 'API key'),
    },
    { id: 'role', header: 'Role', cell: ({ role }) => role },
    {
      id: 'browsers',
      header: 'Browsers',
      align: 'right',
      from: 'md',
      cell: ({ sessions }) => countText(sessions.length),
    },
    { id: 'used', header: 'Last seen', cell: ({ last_used_at }) => <Time at={last_used_at} /> },
    {
      id: 'actions',
      header: 'Actions',
      align: 'right',
      cell: (person) =>
        person.user_id !== me && (
          <Button size="sm" aria-label={`Sign out ${person.name}`} onPress={() => signOut(person)}>
            Sign out
          </Button>
        ),
    },
  ]
}

/** The most recently seen first, as the sessions are sorted. */
function peopleOf(sessions: readonly Session[]): Person[] {
  const people = new Map<string, Person>()
  for (const session of sessions) {
    const { user_id, name, kind, role, last_used_at } = session
    const known = people.get(user_id)
    if (known) known.sessions.push(session)
    else people.set(user_id, { user_id, name, kind, role, last_used_at, sessions: [session] })
  }
  return [...people.values()]
}
