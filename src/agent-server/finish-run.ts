/** Writes how a run ended, under its lease, with all that ends with it, in one transaction. */
import { type AgentStore, lockOf } from '../core/agent-store.ts'
import { timestamp } from '../core/clock.ts'
import type { RunEvent } from '../core/event.ts'
import type {
  CancelAction,
  Lease,
  QueuedRun,
  RunError,
  RunFinish,
  RunStatus,
  StopOutcome,
} from '../core/run.ts'
import type { ThreadState } from '../core/thread.ts'
import { removeRun } from './cancel-run.ts'
import { tellEnd } from './observed-run.ts'
import type { Parts } from './parts.ts'
import { recordEnd, recordNothing } from './run-end.ts'

/** How an execution ended. */
export type Outcome =
  | { kind: 'success' }
  | { kind: 'error'; error: RunError }
  | { kind: 'cancelled'; action: CancelAction; stop_outcome: StopOutcome }
  | { kind: 'timed_out'; error: RunError; stop_outcome: StopOutcome }

export interface Claimed {
  run: QueuedRun
  lease: Lease
}

/**
 * The run's last status, its thread and the end of its log; then whoever follows it is told. Does
 * nothing when the lease was lost. `state` is absent when the graph could not be asked.
 */
export async function finishRun(
  parts: Parts,
  claimed: Claimed,
  outcome: Outcome,
  state: ThreadState | undefined,
): Promise<void> {
  const events = await parts.store.transaction(
    (tx) => writeEnd(tx, claimed, outcome, state, parts),
    [lockOf('thread', claimed.run.thread_id)],
  )
  if (events.length === 0) return
  parts.events.deliver(events)
  tellEnd(parts, claimed.run, outcome)
  if (claimed.run.kwargs.webhook !== undefined) parts.webhooks.wake()
}

async function writeEnd(
  tx: AgentStore,
  { run, lease }: Claimed,
  outcome: Outcome,
  state: ThreadState | undefined,
  { clock }: Parts,
): Promise<RunEvent[]> {
  if (!(await tx.runs.holds(lease))) return []
  const now = clock.now()
  if (await isRolledBack(tx, run, outcome)) {
    // Nobody was told of what the run did: the thread's row still is as it was before.
    await removeRun(tx, run)
    return recordNothing(tx, run, 'rolled_back', now)
  }
  const { status, error, ...stop } = endOf(outcome)
  await tx.runs.finish(lease, { status, error, ...stop, updated_at: timestamp(clock) })
  return recordEnd(tx, run, state ? { status, error, state } : { status, error }, now)
}

/**
 * A rollback that was asked for while the graph took its last step counts all the same, and so does
 * one that was asked for while the graph was about to stop for less.
 */
async function isRolledBack(tx: AgentStore, run: QueuedRun, outcome: Outcome): Promise<boolean> {
  if (outcome.kind === 'cancelled' && outcome.action === 'rollback') return true
  return (await tx.runs.get(run.run_id))?.cancel_action === 'rollback'
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
