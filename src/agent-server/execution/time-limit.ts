/** How long a run may take. */
/** The run was stopped because its time was up. */
export interface TimedOut {
  kind: 'timed_out'
  limitMs: number
}

/** `setTimeout` takes no more. */
const MAX_TIMER_MS = 2 ** 31 - 1

/** A signal that aborts with `TimedOut` when the time is up. It has to be stopped. */
export class TimeLimit {
  readonly signal: AbortSignal
  readonly #timer: NodeJS.Timeout

  /** The time begins now. */
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
