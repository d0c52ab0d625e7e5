/** The verb that ends many runs at once. */
import { type AgentStore, lockOf } from '../../core/agent/agent-store.ts'
import { type Caller, type MetadataFilter, matchesFilter } from '../../core/agent/authorization.ts'
import { isTerminal, type QueuedRun } from '../../core/agent/run.ts'
import { AppError } from '../../core/errors.ts'
import { authorizeOnThread } from '../threads/threads.ts'
import { announceCancelled, type Cancellation, type CancelParts, cancelRuns } from './cancel.ts'
import { findRun } from './runs.ts'

/** These runs of one thread, or all runs with this status. */
type CancelSelection =
  | { thread_id: string; run_ids: string[] }
  | { status: 'pending' | 'running' | 'all' }

/**
 * Ends the runs like `cancelRun`, without waiting. Ends all named runs or none: throws `not_found`
 * if the thread lacks one of them. By status, ends the runs on threads that the caller may change.
 * Throws `not_found` if there is no run to end, as the platform does.
 */
export async function cancelManyRuns(
  parts: CancelParts,
  caller: Caller,
  selection: CancelSelection,
  cancellation: Cancellation,
): Promise<void> {
  if ('status' in selection) return cancelByStatus(parts, caller, selection.status, cancellation)
  const { thread_id, run_ids } = selection
  const what = { run_ids, action: cancellation.action }
  const filter = await authorizeOnThread(parts, caller, 'update', thread_id, what)
  const cancelled = await parts.store.transaction(
    async (tx) => {
      const runs: QueuedRun[] = []
      for (const run_id of new Set(run_ids)) {
        runs.push(await findRun(tx, { thread_id, run_id }, filter))
      }
      if (runs.every(({ status }) => isTerminal(status))) throw nothingToCancel('all')
      return cancelRuns(tx, runs, cancellation, parts.clock.now())
    },
    [lockOf('thread', thread_id)],
  )
  announceCancelled(parts, cancelled)
}

/** How many runs end in one transaction. Other writers get their turn between transactions. */
const BATCH = 200

/** Works in batches. If the server dies in between, another call ends the rest. */
async function cancelByStatus(
  parts: CancelParts,
  caller: Caller,
  status: 'pending' | 'running' | 'all',
  cancellation: Cancellation,
): Promise<void> {
  const value = { status, action: cancellation.action }
  const event = { resource: 'threads', action: 'update' } as const
  const filter = await parts.authorize(caller, event, value)
  const statuses = status === 'all' ? (['pending', 'running'] as const) : [status]
  let after = 0
  let found = 0
  for (;;) {
    const page = { after, limit: BATCH }
    const runs = await parts.store.runs.listWithStatus([...statuses], page)
    const threads = runs.map((run) => lockOf('thread', run.thread_id))
    const cancelled = await parts.store.transaction(async (tx) => {
      const own = await onVisibleThreads(tx, runs, filter)
      found += own.length
      return cancelRuns(tx, own, cancellation, parts.clock.now())
    }, threads)
    announceCancelled(parts, cancelled)
    const last = runs.at(-1)
    // No second search: it would find runs that started only because these ended.
    if (!last || runs.length < BATCH) break
    after = last.seq
  }
  if (found === 0) throw nothingToCancel(status)
}

function nothingToCancel(status: 'pending' | 'running' | 'all'): AppError {
  const which = status === 'all' ? 'pending or running' : status
  return new AppError('not_found', `No runs found to cancel: none is ${which}.`)
}

async function onVisibleThreads(
  tx: AgentStore,
  runs: QueuedRun[],
  filter: MetadataFilter | undefined,
): Promise<QueuedRun[]> {
  if (!filter) return runs
  const visible: QueuedRun[] = []
  for (const run of runs) {
    const thread = await tx.threads.get(run.thread_id)
    if (thread && matchesFilter(thread.metadata, filter)) visible.push(run)
  }
  return visible
}
