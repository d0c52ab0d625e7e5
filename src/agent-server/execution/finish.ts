/** Writes a run's end and everything that belongs to it under the run's lease, in one transaction. */
import { type AgentStore, lockOf } from '../../core/agent/agent-store.ts'
import { excerptOfEnd } from '../../core/agent/excerpt.ts'
import type { ClaimedRun, RunFinish, RunStatus } from '../../core/agent/run.ts'
import type { ThreadState } from '../../core/agent/thread.ts'
import type { TimelineEntry } from '../../core/agent/timeline/timeline.ts'
import { timestamp } from '../../core/clock.ts'
import { AppError } from '../../core/errors.ts'
import type { Executed } from '../../queue/execution.ts'
import type { Unwritten } from '../../stream/write-buffer.ts'
import type { Parts } from '../agent-server-parts.ts'
import { removeRun } from '../runs/cancel.ts'
import { type Recorded, recordEnd, recordNothing } from '../runs/run-end.ts'
import { type Outcome, tellEnd } from './outcome.ts'

/** The run's unwritten results. */
interface Left {
  /** Absent: the graph's state could not be read. */
  state: ThreadState | undefined
  /** The last events and checkpoints, written with the end: a client that reads the end finds all of them. */
  unwritten: Unwritten
  /** The unwritten rest of its timeline, without the texts of its excerpt. */
  timeline: TimelineEntry | undefined
}

/**
 * Writes the run's last status, its thread and the end of its log, then notifies followers. Does nothing if
 * the lease was lost.
 */
export async function finishRun(
  parts: Pick<Parts, 'store' | 'events' | 'webhooks' | 'metrics' | 'clock' | 'log'>,
  claimed: ClaimedRun,
  outcome: Outcome,
  left: Left,
): Promise<Executed> {
  const isDone = outcome.kind === 'success'
  const ending = isDone ? { ...left, timeline: withTexts(left, claimed) } : left
  const write = (writeIt: typeof writeEnd) =>
    parts.store.transaction(
      (tx) => writeIt(tx, claimed, outcome, ending, parts),
      [lockOf('thread', claimed.run.thread_id)],
      (tx, written) => tx.events.areWritten(written.events),
    )
  const isRolledBack = outcome.kind === 'cancelled' && outcome.action === 'rollback'
  const first = isRolledBack ? writeOtherEnd : writeEnd
  const { events, isPosted, isNextWaiting } = await write(first).catch((error: unknown) => {
    if (error !== OTHERWISE) throw error
    return write(writeOtherEnd)
  })
  if (events.length === 0) return { isEnded: false, isNextWaiting }
  parts.events.deliver(events)
  tellEnd(parts, claimed.run, outcome)
  if (isPosted) parts.webhooks.wake()
  return { isEnded: true, isNextWaiting }
}

/**
 * Thrown to undo the transaction: the lease was lost, or the run must be rolled back. A rollback also applies if it
 * was requested during the graph's last step, or while the graph was stopping for another reason.
 */
const OTHERWISE = new AppError('conflict', 'The run ends otherwise.')

/** Sends all statements at once, which costs one round trip. Throws `OTHERWISE` if the run must not end this way. */
async function writeEnd(
  tx: AgentStore,
  { run, lease }: ClaimedRun,
  outcome: Outcome,
  { state, unwritten, timeline }: Left,
  { clock }: Pick<Parts, 'clock'>,
): Promise<Recorded> {
  const now = clock.now()
  const { status, error, ...stop } = endOf(outcome)
  const isUntouched = outcome.kind === 'error' && outcome.isUntouched === true
  const { events, puts } = unwritten
  const ending = { status, error, unwritten: events, isUntouched, ...(state && { state }) }
  // The order matters: the statements after the status see it.
  const [finish, record] = await Promise.allSettled([
    tx.runs.finish(lease, {
      ...{ status, error, ...stop, updated_at: timestamp(clock) },
      ...(timeline && { timeline }),
    }),
    // Before the thread is updated or removed. On PostgreSQL this only sends the statements.
    tx.checkpoints
      .putAll(puts, { held_run_id: run.run_id })
      .then(() => recordEnd(tx, run, ending, now)),
  ])
  if (!settledAs(finish)) throw OTHERWISE
  return settledAs(record)
}

/** Of a run that failed or was cancelled the state may be what an earlier run has left. */
function withTexts({ state, timeline }: Left, { run }: ClaimedRun): TimelineEntry | undefined {
  if (!state || !timeline) return timeline
  return { ...timeline, excerpt: { ...timeline.excerpt, ...excerptOfEnd(run.kwargs, state) } }
}

function settledAs<T>(result: PromiseSettledResult<T>): T {
  if (result.status === 'rejected') throw result.reason
  return result.value
}

/** Writes the end of a rolled-back run, or nothing if the lease was lost. */
async function writeOtherEnd(
  tx: AgentStore,
  { run, lease }: ClaimedRun,
  _outcome: Outcome,
  _left: Left,
  { clock }: Pick<Parts, 'clock'>,
): Promise<Recorded> {
  if (!(await tx.runs.holds(lease))) return { events: [], isPosted: false, isNextWaiting: true }
  // The run's changes were never published: the thread's row still is as it was before.
  await removeRun(tx, run)
  return recordNothing(tx, run, 'rolled_back', clock.now())
}

type End = Omit<RunFinish, 'status' | 'updated_at'> & {
  status: Extract<RunStatus, 'success' | 'error' | 'interrupted' | 'timeout'>
}

function endOf(outcome: Outcome): End {
  switch (outcome.kind) {
    case 'success':
      return { status: 'success', error: null }
    case 'error':
      return { status: 'error', error: outcome.error }
    case 'cancelled':
      return { status: 'interrupted', error: null, stop_outcome: outcome.stop_outcome }
    case 'timed_out':
      return { status: 'timeout', error: outcome.error, stop_outcome: outcome.stop_outcome }
  }
}
