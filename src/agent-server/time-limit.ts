/** How long a run may take. */
import type { StopReason } from '../queue/stop-reason.ts'

/** The run was stopped because its time was up. */
export interface TimedOut {
  kind: 'timed_out'
  limitMs: number
}

/** `setTimeout` takes no more. */
const MAX_TIMER_MS = 2 ** 31 - 1

/** A signal that aborts as another one does, or when the time is up. It has to be stopped. */
export class TimeLimit {
  readonly signal: AbortSignal
  readonly #timer: NodeJS.Timeout

  /** The time begins now. `signal` aborts with a `StopReason`. */
  constructor(signal: AbortSignal, limitMs: number) {
    const controller = new AbortController()
    const reason: TimedOut = { kind: 'timed_out', limitMs }
    this.#timer = setTimeout(() => controller.abort(reason), Math.min(limitMs, MAX_TIMER_MS))
    this.signal = AbortSignal.any([signal, controller.signal])
  }

  /** Why the signal has aborted; `undefined` while it has not. */
  get reason(): StopReason | TimedOut | undefined {
    return this.signal.aborted ? this.signal.reason : undefined
  }

  stop(): void {
    clearTimeout(this.#timer)
  }
}
