/** Writes how a run ended, under its lease, with all that ends with it, in one transaction. */
import { type AgentStore, lockOf } from '../../core/agent/agent-store.ts'
import type { NewEvent } from '../../core/agent/event.ts'
import type { CancelAction, Lease, QueuedRun, RunFinish, RunStatus } from '../../core/agent/run.ts'
import type { ThreadState } from '../../core/agent/thread.ts'
import type { TimelineEntry } from '../../core/agent/timeline/timeline.ts'
import { timestamp } from '../../core/clock.ts'
import type { Executed } from '../../queue/execution.ts'
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
  /** What it has emitted last and is not in the log yet: whoever reads its end finds all of it. */
  unwritten: NewEvent[]
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
  const { events, isPosted, isNextWaiting } = await parts.store.transaction(
    (tx) => writeEnd(tx, claimed, outcome, left, parts),
    [lockOf('thread', claimed.run.thread_id)],
    (tx, written) => tx.events.areWritten(written.events),
  )
  if (events.length === 0) return { isEnded: false, isNextWaiting }
  parts.events.deliver(events)
  tellEnd(parts, claimed.run, outcome)
  if (isPosted) parts.webhooks.wake()
  return { isEnded: true, isNextWaiting }
}

async function writeEnd(
  tx: AgentStore,
  { run, lease }: Claimed,
  outcome: Outcome,
  { state, unwritten, timeline }: Left,
  { clock }: Pick<Parts, 'clock'>,
): Promise<Recorded> {
  const { held, cancel_action } = await tx.runs.look(lease)
  if (!held) return { events: [], isPosted: false, isNextWaiting: true }
  const now = clock.now()
  if (isRolledBack(outcome, cancel_action)) {
    // Nobody was told of what the run did: the thread's row still is as it was before.
    await removeRun(tx, run)
    return recordNothing(tx, run, 'rolled_back', now)
  }
  const { status, error, ...stop } = endOf(outcome)
  const isUntouched = outcome.kind === 'error' && outcome.isUntouched === true
  const ending = { status, error, unwritten, isUntouched, ...(state && { state }) }
  // Asked together, in this order: what comes after the status sees it.
  const [, recorded] = await Promise.all([
    tx.runs.finish(lease, {
      ...{ status, error, ...stop, updated_at: timestamp(clock) },
      ...(timeline && { timeline }),
    }),
    recordEnd(tx, run, ending, now),
  ])
  return recorded
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
