/** Writes how a run ended, under its lease, with all that ends with it, in one transaction. */
import { type AgentStore, lockOf } from '../../core/agent/agent-store.ts'
import type { CancelAction, Lease, QueuedRun, RunFinish, RunStatus } from '../../core/agent/run.ts'
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
  const first = isRolledBack(outcome, null) ? writeOtherEnd : writeEnd
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

/** Thrown so that all is undone: the lease was lost, or the run is to be rolled back. */
const OTHERWISE = new AppError('conflict', 'The run ends otherwise.')

/**
 * Looks at the lease and writes the end at once, which costs one round trip instead of two. Throws `OTHERWISE`
 * where that was too early.
 */
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
  // Asked together, in this order: what comes after the status sees it, and nothing is written before the look.
  const [look, finish, record] = await Promise.allSettled([
    tx.runs.look(lease),
    tx.runs.finish(lease, {
      ...{ status, error, ...stop, updated_at: timestamp(clock) },
      ...(timeline && { timeline }),
    }),
    // Before the thread is left, which may be removed. On PostgreSQL they are only sent.
    tx.checkpoints
      .putAll(puts, { held_run_id: run.run_id })
      .then(() => recordEnd(tx, run, ending, now)),
  ])
  const { held, cancel_action } = settledAs(look)
  if (!held || isRolledBack(outcome, cancel_action)) throw OTHERWISE
  settledAs(finish)
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
  const { held } = await tx.runs.look(lease)
  if (!held) return { events: [], isPosted: false, isNextWaiting: true }
  // Nobody was told of what the run did: the thread's row still is as it was before.
  await removeRun(tx, run)
  return recordNothing(tx, run, 'rolled_back', clock.now())
}

/**
 * A rollback that was asked for while the graph took its last step counts all the same, and so does
 * one that was asked for while the graph was about to stop for less.
 */
function isRolledBack(outcome: Outcome, asked: CancelAction | null): boolean {
  return asked === 'rollback' || (outcome.kind === 'cancelled' && outcome.action === 'rollback')
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
