/** The time limit of a run's attempt. */
/** The run was stopped because its time was up. */
export interface TimedOut {
  kind: 'timed_out'
  limitMs: number
}

/** The largest delay that `setTimeout` accepts. */
const MAX_TIMER_MS = 2 ** 31 - 1

/** A signal that aborts with `TimedOut` when the time is up. Call `stop` after use. */
export class TimeLimit {
  readonly signal: AbortSignal
  readonly #timer: NodeJS.Timeout

  /** Starts the timer. */
  constructor(limitMs: number) {
    const controller = new AbortController()
    const reason: TimedOut = { kind: 'timed_out', limitMs }
    this.#timer = setTimeout(() => controller.abort(reason), Math.min(limitMs, MAX_TIMER_MS))
    this.signal = controller.signal
  }

  stop(): void {
    clearTimeout(this.#timer)
  }
}
