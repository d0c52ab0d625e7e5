/** Ends a run from outside its graph. */

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
