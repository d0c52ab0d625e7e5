/** The Studio's right column: the thread's branches, the checkpoints of one, and the state at one. */
import { useQuery } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo } from 'react'
import { useAgentServer } from '../../api/agent-server.tsx'
import { Empty } from '../../design/empty.tsx'
import { ErrorNote } from '../../design/error-note.tsx'
import { QueryView } from '../../design/query-view.tsx'
import { Skeleton } from '../../design/skeleton.tsx'
import { Spinner } from '../../design/spinner.tsx'
import { runsQuery } from '../queries.ts'
import { StatePanel } from '../state/state-panel.tsx'
import { useStudio, useStudioStream } from '../studio-context.tsx'
import { BranchList } from './branch-list.tsx'
import { type Branch, branchesOf, currentBranch, pathTo } from './branches.ts'
import { CheckpointList } from './checkpoint-list.tsx'
import type { KnownHistory } from './merge-rows.ts'
import { useHistorySearch } from './search.ts'
import { useHistory } from './use-history.ts'

export function HistoryPanel() {
  const { threadId } = useStudio()
  if (!threadId) {
    return (
      <div className="p-3">
        <Empty title="No steps yet">
          Each step of a run becomes a checkpoint, listed here with the state as it was.
        </Empty>
      </div>
    )
  }
  return <History key={threadId} threadId={threadId} />
}

function History({ threadId }: { threadId: string }) {
  const { activeRun } = useStudio()
  const { query, loadOlder, older, look } = useHistory(threadId, activeRun !== undefined)
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <LookAtSteps look={look} />
      <QueryView query={query} what="the history" skeleton={<Skeleton lines={6} className="p-3" />}>
        {(known) =>
          known.rows.length === 0 ? (
            <div className="p-3">
              <Empty title="No steps yet">The first run of this thread has not taken one.</Empty>
            </div>
          ) : (
            <Checkpoints threadId={threadId} known={known} loadOlder={loadOlder} older={older} />
          )
        }
      </QueryView>
    </div>
  )
}

function Checkpoints(props: {
  threadId: string
  known: KnownHistory
  loadOlder: () => void
  older: { isLoading: boolean; error?: unknown }
}) {
  const { known, loadOlder, older } = props
  const { rows } = known
  const { checkpoint, activeRun } = useStudio()
  const { search, change } = useHistorySearch()
  const tree = useMemo(() => branchesOf(rows), [rows])
  const branch = useMemo(
    () => currentBranch(tree, rows, { checkpoint, chosen: search.branch }),
    [tree, rows, checkpoint, search.branch],
  )
  const path = useMemo(() => (branch ? pathTo(rows, branch.tip) : []), [rows, branch])
  const childrenOf = useMemo(() => countChildren(rows), [rows])
  const newest = rows[0]
  const failedId = useFailed(props.threadId, branch)
  // A link may name a checkpoint that is not loaded yet.
  const isSought = checkpoint !== undefined && branch === undefined && known.hasMore
  const hasOlder = known.hasMore && path.at(-1)?.parentId !== undefined
  useEffect(() => {
    if (isSought && !older.isLoading && older.error === undefined) loadOlder()
  }, [isSought, older, loadOlder])

  const choose = useCallback(
    ({ tip }: Branch) =>
      change({ checkpoint: tip.id === newest?.id ? undefined : tip.id, branch: tip.id }),
    [change, newest],
  )
  const selected = checkpoint ?? newest?.id
  const at = path.findIndex((row) => row.id === selected)
  const row = path[at]
  return (
    <>
      <BranchList tree={tree} current={branch} onChoose={choose} />
      {older.error !== undefined && (
        <div className="p-3">
          <ErrorNote
            error={older.error}
            title="Older checkpoints could not be read."
            retry={loadOlder}
          />
        </div>
      )}
      {isSought && (
        <p role="status" className="flex items-center gap-2 p-3 text-ink-soft">
          <Spinner /> Looking for the checkpoint among {rows.length} newer ones
        </p>
      )}
      {!isSought && !branch && (
        <div className="p-3">
          <Empty title="This checkpoint is not there">
            Its thread does not have it, or no longer: a run that was rolled back takes its steps
            away.
          </Empty>
        </div>
      )}
      {branch && (
        <div className="flex h-[36%] min-h-32 shrink-0 flex-col border-b border-line">
          <CheckpointList
            path={path}
            childrenOf={childrenOf}
            selected={selected}
            onSelect={(one) =>
              change(
                { checkpoint: one.id === newest?.id ? undefined : one.id, branch: branch.tip.id },
                { replace: true },
              )
            }
            liveId={activeRun ? newest?.id : undefined}
            failedId={failedId}
            hasOlder={hasOlder}
            loadOlder={loadOlder}
          />
        </div>
      )}
      {row && <StatePanel threadId={props.threadId} row={row} parent={path[at + 1]} />}
    </>
  )
}

/** The branch's last checkpoint, if the run that wrote it failed. */
function useFailed(threadId: string, branch: Branch | undefined): string | undefined {
  const server = useAgentServer()
  const { data: runs = [] } = useQuery(runsQuery(server, threadId))
  const run = runs.find(({ run_id }) => run_id === branch?.tip.runId)
  return run?.status === 'error' || run?.status === 'timeout' ? branch?.tip.id : undefined
}

function countChildren(rows: KnownHistory['rows']): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { parentId } of rows) {
    if (parentId !== undefined) counts.set(parentId, (counts.get(parentId) ?? 0) + 1)
  }
  return counts
}

/** Looks for new checkpoints whenever a run's stream reports that a node has ended. */
function LookAtSteps({ look }: { look: () => void }) {
  const { activity, isRunning } = useStudioStream()
  const done = activity.tasks.filter((task) => !task.isRunning).length
  useEffect(() => {
    if (isRunning && done > 0) look()
  }, [isRunning, done, look])
  return null
}
