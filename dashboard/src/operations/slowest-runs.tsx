/** The longest of the most recent runs, each with a link to its waterfall. */
import { type UseQueryResult, useQueries } from '@tanstack/react-query'
import type { AgentServer } from '../api/agent-server.tsx'
import { type FoundRun, searchRuns } from '../api/runs.ts'
import { ErrorNote } from '../design/error-note.tsx'
import { Section } from '../design/page.tsx'
import { type Column, Table } from '../design/table.tsx'
import { Id } from '../design/text/id.tsx'
import { Elapsed, Time } from '../design/text/time.tsx'
import { RunStatusMark } from '../shell/run-status.tsx'
import { from } from './queries.ts'
import type { RangeName } from './search.ts'

const SHOWN = 10
const EVERY_MS = 30_000

/** Agent servers cannot sort by duration: this many of the latest runs are read from each and sorted here. */
const READ = 500

interface EndedRun extends FoundRun {
  server: AgentServer
  took: number
}

const COLUMNS: readonly Column<EndedRun>[] = [
  { id: 'took', header: 'Took', align: 'right', cell: ({ took }) => <Elapsed ms={took} /> },
  {
    id: 'run',
    header: 'Run',
    isRowHeader: true,
    cell: ({ run_id }) => <Id id={run_id} isBare />,
  },
  { id: 'server', header: 'Deployment', from: 'sm', cell: ({ server }) => server.name },
  { id: 'graph', header: 'Graph', from: 'sm', isWide: true, cell: ({ graph_id }) => graph_id },
  {
    id: 'status',
    header: 'Status',
    cell: (run) => <RunStatusMark run={run} />,
  },
  { id: 'ended', header: 'Ended', from: 'sm', cell: ({ ended_at }) => <Time at={ended_at ?? 0} /> },
]

export function SlowestRuns(props: { servers: readonly AgentServer[]; range: RangeName }) {
  const queries = useQueries({
    queries: props.servers.map((server) => endedQuery(server, props.range)),
  })
  const slowest = queries
    .flatMap(({ data }) => data ?? [])
    .toSorted((a, b) => b.took - a.took)
    .slice(0, SHOWN)
  const error = queries.find((query: UseQueryResult) => query.error)?.error
  if (slowest.length === 0 && !error) return null
  return (
    <Section title="Slowest runs">
      <p className="mb-2 text-sm text-ink-soft">
        {`Of those created in this range that have ended; each deployment's latest ${READ} are looked at.`}
      </p>
      {error && <ErrorNote error={error} title="Some runs could not be read." />}
      {slowest.length > 0 && (
        <Table
          label="Slowest runs"
          columns={COLUMNS}
          rows={slowest}
          keyOf={({ run_id }) => run_id}
          linkOf={({ server, thread_id, run_id }) => server.pages.run(thread_id, run_id)}
        />
      )}
    </Section>
  )
}

function endedQuery(server: AgentServer, range: RangeName) {
  return {
    queryKey: [server.key, 'runs', 'slowest', range],
    refetchInterval: EVERY_MS,
    queryFn: async ({ signal }: { signal: AbortSignal }): Promise<EndedRun[]> => {
      const query = { created_after: from(range), limit: READ }
      const { runs } = await searchRuns(server, query, signal)
      return runs.flatMap((run) => {
        const { started_at, ended_at } = run
        if (started_at === null || ended_at === null) return []
        return [{ ...run, server, took: ended_at - started_at }]
      })
    },
  }
}
