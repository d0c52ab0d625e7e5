/**
 * When a run is tried again, and when it is given up.
 *
 * ```
 * its server died         again, from its last checkpoint, until its attempts are used up
 * its graph's host died   the same: a server whose graphs run in a process of their own outlives it
 * there is no host        again, as if it had not been claimed
 * the database is away    again, when the database is back; that attempt counts too
 * its graph has failed    never: the failure is how the run ended
 * ```
 */
import type { GraphFailure } from './host/failure.ts'
import type { QueuedRun } from './run.ts'

/**
 * How often a run that loses its server each time is started before it ends in `error`, unless `BG_JOB_MAX_RETRIES`
 * says otherwise. From its last such attempt on the run is a suspect: it may crash its servers, so it executes alone.
 */
export const MAX_RUN_ATTEMPTS = 3

/** From which attempt on a run is a suspect; the first never is, since nothing has happened to the run. */
export function suspectAttempt(maxAttempts: number): number {
  return Math.max(maxAttempts, 2)
}

/** Whether a claimed run may be crashing its servers. A cancelled run is not, since nothing of it is executed. */
export function isSuspect({ attempt, cancel_action }: QueuedRun, maxAttempts: number): boolean {
  return attempt >= suspectAttempt(maxAttempts) && cancel_action === null
}

/** Whether a run with this failure is tried again. */
export function isRetried({ kind }: GraphFailure): boolean {
  return kind !== 'graph'
}
