/** Ends a run from outside of its graph. */

/** Code of the run threw where the graph could not see it, or called for the end of the process. */
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

  /** `false`: the run is ending already. */
  readonly fail = (error: unknown): boolean => {
    if (this.#isTooLate || this.signal.aborted) return false
    this.#controller.abort({ kind: 'crashed', error } satisfies Crashed)
    return true
  }

  /** How the run ends is known. */
  stop(): void {
    this.#isTooLate = true
  }
}
