/** One claimed run while it executes in this process. */
import { isSuspect, type Lease, type QueuedRun } from '../core/agent/run.ts'
import { type StopReason, stopReasonOf } from './stop-reason.ts'

/**
 * What the queue calls to execute a run; it ends the run itself, under the lease, and answers whether it
 * has.
 */
export type Execute = (run: QueuedRun, lease: Lease, signal: AbortSignal) => Promise<boolean>

export class Execution {
  readonly run_id: string
  readonly thread_id: string
  readonly lease: Lease
  readonly attempt: number
  /** It may take this server down: nothing else is begun beside it. */
  isAlone: boolean
  /** Until when no other server may take the run, in ms since 1970, as last renewed. */
  leaseExpiresAt: number
  /** Settles when `execute` has: `error` is there when it rejected. Never rejects. */
  readonly settled: Promise<{ isEnded: boolean; error?: unknown }>
  readonly #controller = new AbortController()

  /** Begins at once. A run whose end was asked for before it was claimed begins aborted. */
  constructor(claimed: { run: QueuedRun; lease: Lease; leaseExpiresAt: number }, execute: Execute) {
    this.run_id = claimed.run.run_id
    this.thread_id = claimed.run.thread_id
    this.lease = claimed.lease
    this.attempt = claimed.run.attempt
    this.isAlone = isSuspect(claimed.run)
    this.leaseExpiresAt = claimed.leaseExpiresAt
    const action = claimed.run.cancel_action
    if (action) this.stop({ kind: 'cancelled', action })
    this.settled = this.#begin(claimed.run, execute)
  }

  /** Why it was told to stop; `undefined` while it was not. */
  get stopReason(): StopReason | undefined {
    return stopReasonOf(this.#controller.signal)
  }

  /** Tells it to stop; the first reason stays. */
  stop(reason: StopReason): void {
    this.#controller.abort(reason)
  }

  async #begin(run: QueuedRun, execute: Execute): Execution['settled'] {
    try {
      return { isEnded: await execute(run, this.lease, this.#controller.signal) }
    } catch (error) {
      return { isEnded: false, error }
    }
  }
}
