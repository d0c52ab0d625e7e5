/** The most recently failed threads, each with a link to the place of the failure. */
import { type UseQueryResult, useQueries } from '@tanstack/react-query'
import type { AgentServer } from '../api/agent-server.tsx'
import { ErrorNote } from '../design/error-note.tsx'
import { Section } from '../design/page.tsx'
import { type Column, Table } from '../design/table.tsx'
import { Id } from '../design/text/id.tsx'
import { Time } from '../design/text/time.tsx'

const SHOWN = 10
const EVERY_MS = 30_000

interface Failed {
  server: AgentServer
  thread_id: string
  updated_at: string
  error: string
}

const COLUMNS: readonly Column<Failed>[] = [
  { id: 'time', header: 'When', cell: ({ updated_at }) => <Time at={updated_at} /> },
  { id: 'server', header: 'Deployment', from: 'sm', cell: ({ server }) => server.name },
  {
    id: 'thread',
    header: 'Thread',
    isRowHeader: true,
    cell: ({ thread_id }) => <Id id={thread_id} isBare />,
  },
  {
    id: 'error',
    header: 'Error',
    isWide: true,
    cell: ({ error }) => <span title={error}>{error}</span>,
  },
]

export function FailedThreads({ servers }: { servers: readonly AgentServer[] }) {
  const queries = useQueries({ queries: servers.map(failedQuery) })
  const failed = queries
    .flatMap(({ data }) => data ?? [])
    .toSorted((a, b) => b.updated_at.localeCompare(a.updated_at))
    .slice(0, SHOWN)
  const error = queries.find((query: UseQueryResult) => query.error)?.error
  if (failed.length === 0 && !error) return null
  return (
    <Section title="Failed last">
      {error && <ErrorNote error={error} title="Some threads could not be read." />}
      {failed.length > 0 && (
        <Table
          label="Threads that failed last"
          columns={COLUMNS}
          rows={failed}
          keyOf={({ thread_id }) => thread_id}
          linkOf={({ server, thread_id }) => server.pages.thread(thread_id)}
        />
      )}
    </Section>
  )
}

function failedQuery(server: AgentServer) {
  return {
    queryKey: [server.key, 'threads', 'failed'],
    refetchInterval: EVERY_MS,
    queryFn: async (): Promise<Failed[]> => {
      const threads = await server.client.threads.search({
        status: 'error',
        limit: SHOWN,
        sortBy: 'updated_at',
        sortOrder: 'desc',
        select: ['thread_id', 'updated_at', 'error'] as never,
      })
      return threads.map((thread) => {
        const { error } = thread as { error?: unknown }
        const text = typeof error === 'string' ? error : JSON.stringify(error ?? '')
        return { server, thread_id: thread.thread_id, updated_at: thread.updated_at, error: text }
      })
    },
  }
}
