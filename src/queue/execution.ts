/** One claimed run while it executes in this process. */
import { isSuspect } from '../core/agent/retry.ts'
import type { CancelAction, Lease, QueuedRun } from '../core/agent/run.ts'
import { othersSent } from '../core/turn.ts'

/** Why an execution is stopped before its graph has ended: the `reason` of the abort signal that `execute` gets. */
export type StopReason =
  /** The run was cancelled: the executor ends it as the action says. */
  | { kind: 'cancelled'; action: CancelAction }
  /** Another server has the run, or the run is gone: write nothing more. */
  | { kind: 'lease_lost' }
  /** This server stops: write no end. The queue hands the run back. */
  | { kind: 'shutdown' }

/** The reason with which the queue aborted `signal`. `undefined`: it did not. */
export function stopReasonOf(signal: AbortSignal): StopReason | undefined {
  return signal.aborted ? (signal.reason as StopReason) : undefined
}

/** The result of an execution. */
export interface Executed {
  /** The execution has ended the run. */
  isEnded: boolean
  /** Whether another run of the thread waits, which may be claimed now. */
  isNextWaiting: boolean
  /** Its graph stopped between two steps: the run goes back to the queue, which does not count as an attempt. */
  isHandedBack?: boolean
}

/**
 * Executes a run for the queue. It ends the run itself, under the lease. `signal`: the run is to stop at once; its
 * reason is a `StopReason`. `drain`: how it is asked to stop between two steps of its graph (`isHandedBack`).
 */
export type Execute = (
  run: QueuedRun,
  lease: Lease,
  signal: AbortSignal,
  drain: Drain,
) => Promise<Executed>

/** Filled by `Execute` once the graph is at work. */
export interface Drain {
  /** Returns whether the graph stops before its next step. */
  ask?: () => boolean
}

export class Execution {
  readonly run_id: string
  readonly thread_id: string
  readonly lease: Lease
  readonly attempt: number
  /** The run may crash this server: the queue starts nothing else beside it. */
  isAlone: boolean
  /** Until when no other server may take the run, in ms since 1970. Each renewal moves it. */
  leaseExpiresAt: number
  /** Settles when `execute` has settled; `error` is why it rejected. Never rejects. */
  readonly settled: Promise<Executed & { error?: unknown }>
  readonly #controller = new AbortController()
  readonly #drain: Drain = {}

  /**
   * Calls `execute` when the promises of this moment have settled: a graph begins with milliseconds of them, so the
   * replies to the run's caller and to followers of its thread go out first. Waiting for the end of the turn would cost
   * 1.09 times the processor time per run. If the run was cancelled before it was claimed, its signal is aborted from
   * the start.
   */
  constructor(
    claimed: { run: QueuedRun; lease: Lease; leaseExpiresAt: number },
    execute: Execute,
    maxAttempts: number,
  ) {
    this.run_id = claimed.run.run_id
    this.thread_id = claimed.run.thread_id
    this.lease = claimed.lease
    this.attempt = claimed.run.attempt
    this.isAlone = isSuspect(claimed.run, maxAttempts)
    this.leaseExpiresAt = claimed.leaseExpiresAt
    const action = claimed.run.cancel_action
    if (action) this.stop({ kind: 'cancelled', action })
    this.settled = this.#begin(claimed.run, execute)
  }

  /** Why the run was asked to stop. `undefined`: it was not. */
  get stopReason(): StopReason | undefined {
    return stopReasonOf(this.#controller.signal)
  }

  /** Asks the run to stop at once. The first reason is kept. */
  stop(reason: StopReason): void {
    this.#controller.abort(reason)
  }

  /** Asks the run to stop between two steps of its graph. `false`: it cannot be asked. */
  drain(): boolean {
    return this.#drain.ask?.() ?? false
  }

  async #begin(run: QueuedRun, execute: Execute): Execution['settled'] {
    try {
      await othersSent()
      return await execute(run, this.lease, this.#controller.signal, this.#drain)
    } catch (error) {
      return { isEnded: false, isNextWaiting: true, error }
    }
  }
}
