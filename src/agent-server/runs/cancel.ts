/** Cancels runs for the API, one or many at once, for a client that has left, or for a newer run, and removes them. */
import { type AgentStore, lockOf } from '../../core/agent/agent-store.ts'
import { type Caller, type MetadataFilter, matchesFilter } from '../../core/agent/authorization.ts'
import type { RunEvent } from '../../core/agent/event.ts'
import { type CancelAction, isTerminal, type QueuedRun } from '../../core/agent/run.ts'
import { AppError } from '../../core/errors.ts'
import type { Parts } from '../agent-server-parts.ts'
import { authorizeOnThread } from '../threads/threads.ts'
import { recordNothing } from './run-end.ts'
import { findRun, type RunId } from './runs.ts'

export type CancelParts = Pick<
  Parts,
  'store' | 'queue' | 'events' | 'authorize' | 'webhooks' | 'clock'
>

/** How runs end, and why: `reason` becomes their `cancel_reason`. */
interface Cancellation {
  action: CancelAction
  reason: string
}

/** The `cancel_reason` of a run that was ended through the API. */
export const REQUESTED = 'requested: it was cancelled through the API'
/** The same for a caller that gave the reason `taken`. */
export const TAKEN = 'taken: its caller took the thread over'
/** The same for a client that left and had set `on_disconnect: cancel`. */
const DISCONNECTED = 'disconnected: its client left'

/** Work that remains after the transaction that ended runs. */
export interface Cancelled {
  /** Started runs with a cancel request. */
  running: { run_id: string; action: CancelAction }[]
  /** The end events of runs that were waiting. */
  ended: RunEvent[]
}

/**
 * Ends a run: a waiting run at once, a running run through its server; a run that is over stays as it
 * is. With `wait`, resolves when it has ended. Throws `not_found`.
 */
export async function cancelRun(
  parts: CancelParts,
  caller: Caller,
  which: RunId,
  options: Cancellation & { wait?: AbortSignal },
): Promise<void> {
  const { thread_id, run_id } = which
  const what = { run_id, action: options.action }
  const filter = await authorizeOnThread(parts, caller, 'update', thread_id, what)
  await cancelWithin(parts, [lockOf('thread', thread_id)], async (tx) => {
    const run = await findRun(tx, which, filter)
    return cancelRuns(tx, [run], options, parts.clock.now())
  })
  if (options.wait) await parts.events.waitForEnd(run_id, options.wait)
}

/**
 * Ends the run of a client that left early. A failure goes to the log. If the connection ended because the server
 * is stopping, the run and its answer continue on another server.
 */
export async function cancelLeft(
  parts: CancelParts & Pick<Parts, 'log'>,
  caller: Caller,
  run: RunId,
): Promise<void> {
  if (parts.events.isStopping) return
  try {
    await cancelRun(parts, caller, run, { action: 'interrupt', reason: DISCONNECTED })
  } catch (err) {
    parts.log.warn({ ...run, err }, 'could not cancel the run of a client that left')
  }
}

/**
 * Part of a transaction: ends waiting runs, asks started runs to end, leaves runs that are over as
 * they are. `now` in ms since 1970.
 */
export async function cancelRuns(
  tx: AgentStore,
  runs: QueuedRun[],
  { action, reason }: Cancellation,
  now: number,
): Promise<Cancelled> {
  const cancelled: Cancelled = { running: [], ended: [] }
  for (const { run_id } of runs) {
    const run = await tx.runs.hold(run_id)
    if (!run || isTerminal(run.status)) continue
    if (await tx.runs.requestCancel(run.run_id, action, reason)) {
      cancelled.running.push({ run_id: run.run_id, action })
    } else {
      cancelled.ended.push(...(await endWaiting(tx, run, { action, reason }, now)))
    }
  }
  return cancelled
}

/**
 * Call after the transaction. Wakes followers of the ended runs, and the queue, which may have a later run of the
 * same thread. Stops runs that execute on this server.
 */
export function announceCancelled(
  parts: Pick<Parts, 'queue' | 'events' | 'webhooks'>,
  cancelled: Cancelled,
): void {
  parts.events.deliver(cancelled.ended)
  for (const { run_id, action } of cancelled.running) parts.queue.cancelLocal(run_id, action)
  if (cancelled.ended.length === 0) return
  parts.queue.wake()
  parts.webhooks.wake()
}

/** Runs the transaction whose `work` cancels runs, then announces them. */
async function cancelWithin(
  parts: CancelParts,
  locks: string[],
  work: (tx: AgentStore) => Promise<Cancelled>,
): Promise<void> {
  announceCancelled(parts, await parts.store.transaction(work, locks))
}

async function endWaiting(
  tx: AgentStore,
  run: QueuedRun,
  { action, reason }: Cancellation,
  now: number,
): Promise<RunEvent[]> {
  const isKept = action === 'interrupt'
  if (isKept) await tx.runs.interruptPending(run.run_id, new Date(now).toISOString(), reason)
  else await removeRun(tx, run)
  return (await recordNothing(tx, run, isKept ? 'interrupted' : 'rolled_back', now)).events
}

/** Part of a transaction: removes the run and its checkpoints. */
export async function removeRun(tx: AgentStore, run: QueuedRun): Promise<void> {
  await tx.checkpoints.deleteRun(run.thread_id, run.run_id)
  await tx.runs.delete(run.run_id)
}

/**
 * Removes the run and its events. Its changes to the thread stay (`rollback` reverts them). A run that
 * is not over is interrupted first and removed when it has ended, so that no invisible run goes on.
 * Throws `not_found`; rejects with the signal's reason, and the run stays.
 */
export async function deleteRun(
  parts: CancelParts,
  caller: Caller,
  which: RunId,
  signal: AbortSignal,
): Promise<void> {
  const { thread_id, run_id } = which
  const filter = await authorizeOnThread(parts, caller, 'delete', thread_id, { run_id })
  const locks = [lockOf('thread', thread_id)]
  const cancelled = await parts.store.transaction(async (tx) => {
    const run = await findRun(tx, which, filter)
    if (isTerminal(run.status)) return remove(tx, which)
    return cancelRuns(tx, [run], { action: 'interrupt', reason: REQUESTED }, parts.clock.now())
  }, locks)
  if (!cancelled) return
  announceCancelled(parts, cancelled)
  await parts.events.waitForEnd(run_id, signal)
  await parts.store.transaction((tx) => remove(tx, which), locks)
}

async function remove(tx: AgentStore, { run_id }: RunId): Promise<Cancelled | undefined> {
  await tx.runs.delete(run_id)
  await tx.events.deleteRun(run_id)
  return undefined
}

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
  await cancelWithin(parts, [lockOf('thread', thread_id)], async (tx) => {
    const runs: QueuedRun[] = []
    for (const run_id of new Set(run_ids)) {
      runs.push(await findRun(tx, { thread_id, run_id }, filter))
    }
    if (runs.every(({ status }) => isTerminal(status))) throw nothingToCancel('all')
    return cancelRuns(tx, runs, cancellation, parts.clock.now())
  })
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
    await cancelWithin(parts, threads, async (tx) => {
      const own = await onVisibleThreads(tx, runs, filter)
      found += own.length
      return cancelRuns(tx, own, cancellation, parts.clock.now())
    })
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
