import type { Session } from '@runyard/client'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Button } from '../design/button.tsx'
import { Empty } from '../design/empty.tsx'
import { reasonOf } from '../design/error-note.tsx'
import { QueryView } from '../design/query-view.tsx'
import { Badge } from '../design/status.tsx'
import { type Column, Table } from '../design/table.tsx'
import { Time } from '../design/text/time.tsx'
import { toast } from '../design/toast.tsx'
import { browserName } from './browser-name.ts'
import { endSession, sessionsQuery } from './queries.ts'

/** The user's signed-in browsers. */
export function SessionsView() {
  const query = useQuery(sessionsQuery({ all: false }))
  const end = useEnd()
  const columns = [...COLUMNS, actions(end)]
  return (
    <>
      <p className="mb-3 text-ink-soft">
        Browsers that are signed in as you. A browser that you do not know: end it.
      </p>
      <QueryView query={query} what="your sessions">
        {(sessions) => (
          <Table
            label="Sessions"
            columns={columns}
            rows={sessions}
            keyOf={({ id }) => id}
            empty={<Empty title="No open sessions." />}
          />
        )}
      </QueryView>
    </>
  )
}

const COLUMNS: readonly Column<Session>[] = [
  {
    id: 'browser',
    header: 'Browser',
    isRowHeader: true,
    isWide: true,
    cell: ({ user_agent, is_current }) => (
      <span className="inline-flex items-center gap-2">
        <span title={user_agent ?? undefined}>{browserName(user_agent)}</span>
        {is_current && <Badge tone="live">This one</Badge>}
      </span>
    ),
  },
  { id: 'used', header: 'Last used', cell: ({ last_used_at }) => <Time at={last_used_at} /> },
  {
    id: 'began',
    header: 'Signed in',
    from: 'sm',
    cell: ({ created_at }) => <Time at={created_at} />,
  },
  {
    id: 'ends',
    header: 'Ends unless used',
    from: 'md',
    cell: ({ expires_at }) => <Time at={expires_at} />,
  },
]

function actions(end: (session: Session) => Promise<void>): Column<Session> {
  return {
    id: 'actions',
    header: 'Actions',
    align: 'right',
    cell: (session) =>
      !session.is_current && (
        <Button
          size="sm"
          aria-label={`End the session of ${browserName(session.user_agent)}`}
          onPress={() => void end(session)}
        >
          End
        </Button>
      ),
  }
}

function useEnd(): (session: Session) => Promise<void> {
  const queries = useQueryClient()
  return async ({ id, user_agent }) => {
    try {
      await endSession(id)
      toast(`${browserName(user_agent)} is signed out.`)
    } catch (error) {
      toast(`It is still signed in. ${reasonOf(error)}`, { tone: 'bad' })
    }
    await queries.invalidateQueries({ queryKey: ['settings', 'sessions'] })
  }
}
