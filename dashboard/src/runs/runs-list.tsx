/** The found runs, of one agent server or of several. */
import { useInfiniteQuery } from '@tanstack/react-query'
import { useCallback, useMemo, useState } from 'react'
import type { AgentServer } from '../api/agent-server.tsx'
import { isActive } from '../api/run-state.ts'
import { Button } from '../design/button.tsx'
import { Empty } from '../design/empty.tsx'
import { ErrorNote } from '../design/error-note.tsx'
import { type ListColumn, RowList } from '../design/row-list.tsx'
import { Skeleton } from '../design/skeleton.tsx'
import { Duration, Time } from '../design/text/time.tsx'
import { toast } from '../design/toast.tsx'
import { SearchBound } from '../shell/filters.tsx'
import { RunStatusMark } from '../shell/run-status.tsx'
import { SelectionBar } from '../shell/selection-bar.tsx'
import { ReadErrors } from '../shell/servers-page.tsx'
import { withServer, wordsColumns } from '../shell/words.tsx'
import type { ServerRun } from './merged-runs.ts'
import { runsQuery } from './queries.ts'
import { isFiltered, type RunsSearch } from './search.ts'

export function RunsList(props: { servers: readonly AgentServer[]; search: RunsSearch }) {
  const { servers, search } = props
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const query = useInfiniteQuery(runsQuery(servers, search))
  const runs = useMemo(() => query.data?.pages.flatMap((page) => page.runs) ?? [], [query.data])
  const failures = query.data?.pages.flatMap((page) => page.failures) ?? []
  const lookedAt = query.data?.pages[0]?.lookedAt
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = query
  const onSeen = useCallback(
    (_first: number, last: number) => {
      if (last >= runs.length - 20 && hasNextPage && !isFetchingNextPage) void fetchNextPage()
    },
    [runs.length, hasNextPage, isFetchingNextPage, fetchNextPage],
  )
  if (query.error) {
    return <ErrorNote error={query.error} title="Could not read the runs." />
  }
  if (!query.data) return <Skeleton lines={6} />
  const active = runs.filter((run) => chosen.has(run.run_id) && isActive(run))
  const cancel = async () => {
    const ended = await Promise.allSettled(
      active.map(({ server, thread_id, run_id }) => server.client.runs.cancel(thread_id, run_id)),
    )
    const failed = ended.filter(({ status }) => status === 'rejected').length
    toast(failed > 0 ? `${failed} could not be cancelled.` : `${active.length} runs are ended.`, {
      tone: failed > 0 ? 'bad' : 'good',
    })
    setChosen(new Set())
    void query.refetch()
  }
  return (
    <>
      <ReadErrors
        what="the runs"
        servers={failures.map(({ server }) => server)}
        results={failures.map(({ error }) => ({ error, refetch: query.refetch }))}
      />
      {runs.length === 0 ? (
        <NoRuns search={search} />
      ) : (
        <RowList
          label="Runs"
          columns={servers.length > 1 ? MERGED_COLUMNS : COLUMNS}
          count={runs.length}
          rowAt={(index) => runs[index]}
          keyOf={({ run_id }) => run_id}
          linkOf={({ server, thread_id, run_id }) => server.pages.run(thread_id, run_id)}
          onSeen={onSeen}
          selection={{ keys: chosen, onChange: setChosen }}
        />
      )}
      <p className="mt-2 text-sm" role="status">
        <SearchBound
          what={servers.length > 1 ? 'runs of a deployment' : 'runs'}
          lookedAt={lookedAt}
        />
      </p>
      {chosen.size > 0 && (
        <SelectionBar
          text={`${chosen.size} chosen, ${active.length} of them queued or running`}
          onNone={() => setChosen(new Set())}
        >
          <Button kind="danger" size="sm" isDisabled={active.length === 0} onPress={cancel}>
            Cancel {active.length === 1 ? 'this run' : `${active.length} runs`}
          </Button>
        </SelectionBar>
      )}
    </>
  )
}

const COLUMNS: readonly ListColumn<ServerRun>[] = [
  ...wordsColumns<ServerRun>('Input', 'Output', (run) => <RunStatusMark run={run} />),
  {
    id: 'took',
    header: 'Took',
    width: '6rem',
    align: 'right',
    cell: ({ started_at, ended_at }) =>
      started_at !== null && <Duration from={started_at} to={ended_at} />,
  },
  {
    id: 'when',
    isTime: true,
    header: 'Created',
    width: '7rem',
    align: 'right',
    cell: ({ created_at }) => <Time at={created_at} />,
  },
]

const MERGED_COLUMNS = withServer(COLUMNS)

function NoRuns({ search }: { search: RunsSearch }) {
  if (isFiltered(search)) return <Empty title="No run is like that." />
  return (
    <Empty title="Nothing has run yet.">
      Each message to an agent, each cron and each call of its API is a run, listed here with what
      was said.
    </Empty>
  )
}
