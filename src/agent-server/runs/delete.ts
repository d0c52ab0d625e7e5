/** The verb that removes a run. */
import { type AgentStore, lockOf } from '../../core/agent/agent-store.ts'
import type { Caller } from '../../core/agent/authorization.ts'
import { isTerminal } from '../../core/agent/run.ts'
import { authorizeOnThread } from '../threads/verbs.ts'
import {
  announceCancelled,
  type Cancelled,
  type CancelParts,
  cancelRuns,
  REQUESTED,
} from './cancel.ts'
import { findRun, type RunId } from './read.ts'

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
  const locks = [lockOf('thread', which.thread_id)]
  const cancelled = await parts.store.transaction(async (tx) => {
    const run = await findRun(tx, which, filter)
    if (isTerminal(run.status)) return remove(tx, which)
    return cancelRuns(tx, [run], { action: 'interrupt', reason: REQUESTED }, parts.clock.now())
  }, locks)
  if (!cancelled) return
  announceCancelled(parts, cancelled)
  await parts.events.waitForEnd(which.run_id, signal)
  await parts.store.transaction((tx) => remove(tx, which), locks)
}

async function remove(tx: AgentStore, { run_id }: RunId): Promise<Cancelled | undefined> {
  await tx.runs.delete(run_id)
  await tx.events.deleteRun(run_id)
  return undefined
}
