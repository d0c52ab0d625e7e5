/** Writes how a run ended, under its lease, with all that ends with it, in one transaction. */
import { type AgentStore, lockOf } from '../../core/agent/agent-store.ts'
import type { Lease, QueuedRun, RunFinish, RunStatus } from '../../core/agent/run.ts'
import type { ThreadState } from '../../core/agent/thread.ts'
import type { TimelineEntry } from '../../core/agent/timeline/timeline.ts'
import { timestamp } from '../../core/clock.ts'
import { AppError } from '../../core/errors.ts'
import type { Executed } from '../../queue/execution.ts'
import type { Unwritten } from '../../stream/batched-appends.ts'
import type { Parts } from '../parts.ts'
import { removeRun } from '../runs/cancel.ts'
import { type Recorded, recordEnd, recordNothing } from '../runs/end.ts'
import { tellEnd } from './observed.ts'
import type { Outcome } from './outcome.ts'

export interface Claimed {
  run: QueuedRun
  lease: Lease
}

/** What the run leaves. */
interface Left {
  /** Absent when the graph could not be asked. */
  state: ThreadState | undefined
  /** What it has emitted and stored last and is not written yet: whoever reads its end finds all of it. */
  unwritten: Unwritten
  /** What is not written yet of its timeline. */
  timeline: TimelineEntry | undefined
}

/**
 * The run's last status, its thread and the end of its log; then whoever follows it is told. Where the
 * lease was lost, nothing is done.
 */
export async function finishRun(
  parts: Pick<Parts, 'store' | 'events' | 'webhooks' | 'metrics' | 'clock' | 'log'>,
  claimed: Claimed,
  outcome: Outcome,
  left: Left,
): Promise<Executed> {
  const write = (writeIt: typeof writeEnd) =>
    parts.store.transaction(
      (tx) => writeIt(tx, claimed, outcome, left, parts),
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
 * Thrown so that all is undone: the lease was lost, or the run is to be rolled back. A rollback counts that was asked for
 * while the graph took its last step, or while it was about to stop for less.
 */
const OTHERWISE = new AppError('conflict', 'The run ends otherwise.')

/** Asks for all of it at once, which costs one round trip. Throws `OTHERWISE` where the run does not end so. */
async function writeEnd(
  tx: AgentStore,
  { run, lease }: Claimed,
  outcome: Outcome,
  { state, unwritten, timeline }: Left,
  { clock }: Pick<Parts, 'clock'>,
): Promise<Recorded> {
  const now = clock.now()
  const { status, error, ...stop } = endOf(outcome)
  const isUntouched = outcome.kind === 'error' && outcome.isUntouched === true
  const { events, puts } = unwritten
  const ending = { status, error, unwritten: events, isUntouched, ...(state && { state }) }
  // In this order: what comes after the status sees it.
  const [finish, record] = await Promise.allSettled([
    tx.runs.finish(lease, {
      ...{ status, error, ...stop, updated_at: timestamp(clock) },
      ...(timeline && { timeline }),
    }),
    // Before the thread is left, which may be removed. On PostgreSQL they are only sent.
    tx.checkpoints
      .putAll(puts, { held_run_id: run.run_id })
      .then(() => recordEnd(tx, run, ending, now)),
  ])
  if (!settledAs(finish)) throw OTHERWISE
  return settledAs(record)
}

function settledAs<T>(result: PromiseSettledResult<T>): T {
  if (result.status === 'rejected') throw result.reason
  return result.value
}

/** The end of a run that is rolled back, or nothing where the lease was lost. */
async function writeOtherEnd(
  tx: AgentStore,
  { run, lease }: Claimed,
  _outcome: Outcome,
  _left: Left,
  { clock }: Pick<Parts, 'clock'>,
): Promise<Recorded> {
  if (!(await tx.runs.holds(lease))) return { events: [], isPosted: false, isNextWaiting: true }
  // Nobody was told of what the run did: the thread's row still is as it was before.
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
