import { useQuery } from '@tanstack/react-query'
import { atAGlance, useAgentServer } from '../../api/agent-server.tsx'
import { searchRuns } from '../../api/runs.ts'
import { ErrorNote } from '../../design/error-note.tsx'
import { Section, TextLink } from '../../design/page.tsx'
import { type Column, Table } from '../../design/table.tsx'
import { countText } from '../../design/text/format.ts'
import { Time } from '../../design/text/time.tsx'
import { type FailedGroup, groupFailed } from './failed-groups.ts'

const HOUR_MS = 3_600_000
const SHOWN = 8
/** The most failed runs of each status that are read. */
const READ = 500

/** The failed runs of the last hour by their error, also of runs that began before it. Asks only if `isEnabled`. */
export function useFailedRuns(isEnabled: boolean) {
  const server = useAgentServer()
  return useQuery({
    queryKey: ['agents', server.key, 'runs', 'failed in the last hour'],
    enabled: isEnabled,
    refetchInterval: 30_000,
    queryFn: async ({ signal }) => {
      const created_after = new Date(Date.now() - 24 * HOUR_MS).toISOString()
      const pages = (['error', 'timeout'] as const).map((status) =>
        searchRuns(atAGlance(server), { status, created_after, limit: READ }, signal),
      )
      const found = await Promise.all(pages)
      const since = Date.now() - HOUR_MS
      const failed = found.flatMap(({ runs }) => runs).filter((run) => (run.ended_at ?? 0) >= since)
      return { groups: groupFailed(failed), isCut: found.some(({ next }) => next !== undefined) }
    },
  })
}

const COLUMNS: readonly Column<FailedGroup>[] = [
  {
    id: 'count',
    header: 'Runs',
    align: 'right',
    cell: ({ count }) => <span className="font-medium text-bad">{countText(count)}</span>,
  },
  {
    id: 'error',
    header: 'Error',
    isRowHeader: true,
    isWide: true,
    cell: ({ newest: { status, error } }) => (
      <span title={error?.message}>
        <span className="font-medium">{error?.error ?? status}</span> {error?.message}
      </span>
    ),
  },
  { id: 'newest', header: 'Newest', cell: ({ newest }) => <Time at={newest.ended_at ?? 0} /> },
]

/** `count`: how many failed, as the control plane has counted; a sleeping server is not asked why. */
export function FailedRuns(props: { query: ReturnType<typeof useFailedRuns>; count: number }) {
  const server = useAgentServer()
  const { data, error } = props.query
  if (props.count === 0 || data?.groups.length === 0) return null
  const hidden = (data?.groups.length ?? 0) - SHOWN
  return (
    <Section
      title="Failed runs, last hour"
      actions={
        <TextLink to={`${server.pages.runs()}?status=error&since=day`}>Runs with errors</TextLink>
      }
    >
      {error && <ErrorNote error={error} title="Could not read the failed runs." />}
      {data ? (
        <Table
          label="Failed runs by error"
          columns={COLUMNS}
          rows={data.groups.slice(0, SHOWN)}
          keyOf={({ key }) => key}
          linkOf={({ newest }) => server.pages.run(newest.thread_id, newest.run_id)}
        />
      ) : (
        !error && (
          <p className="text-ink-soft">
            {`${countText(props.count)} failed. Why is shown while its server is awake.`}
          </p>
        )
      )}
      {(data?.isCut || hidden > 0) && (
        <p className="mt-1 text-sm text-ink-faint">
          {hidden > 0 && `${hidden} more errors. `}
          {data?.isCut && `Of the latest ${countText(READ)} failed runs.`}
        </p>
      )}
    </Section>
  )
}
