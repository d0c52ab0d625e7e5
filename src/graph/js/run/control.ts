/** LangGraph's `RunControl`: before each step LangGraph asks it whether to stop. Older versions have none. */

const DRAINED = 'GraphDrained'

/** `runtime.control` of the run's nodes. They may ask for the stop, or see that it was asked for. */
export class RunControl {
  #reason: string | undefined
  #isAsked = false

  /** Whether the run's LangGraph asks it, which it does before the first step. */
  get isAsked(): boolean {
    return this.#isAsked
  }

  requestDrain(reason = 'shutdown'): void {
    this.#reason = reason
  }

  get drainRequested(): boolean {
    this.#isAsked = true
    return this.#reason !== undefined
  }

  get drainReason(): string | undefined {
    return this.#reason
  }
}

/** Whether the graph was stopped by its `RunControl`. */
export function isDrained(thrown: unknown): boolean {
  return thrown instanceof Error && thrown.name === DRAINED
}
