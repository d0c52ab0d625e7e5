/** The signals that end a run's attempt from outside its graph: its code crashed, or its time is up. */

/** The run's code threw an error that the graph could not catch, or tried to end the process. */
export interface Crashed {
  kind: 'crashed'
  error: unknown
}

/** Aborts with `Crashed`, once. */
export class Crash {
  readonly #controller = new AbortController()
  #isTooLate = false

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** `false`: the run is already ending. */
  readonly fail = (error: unknown): boolean => {
    if (this.#isTooLate || this.signal.aborted) return false
    this.#controller.abort({ kind: 'crashed', error } satisfies Crashed)
    return true
  }

  /** Call when the run's outcome is known: later failures are ignored. */
  stop(): void {
    this.#isTooLate = true
  }
}

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
