/** Passes a graph's emissions on, and knows when all of them were taken. */
import { setImmediate as turn } from 'node:timers/promises'

export class TakenEmissions {
  #areTaken = true

  /** Passes the stream through. */
  async *watch<T>(stream: AsyncIterable<T>): AsyncIterable<T> {
    const iterator = stream[Symbol.asyncIterator]()
    try {
      for (;;) {
        this.#areTaken = true
        const next = await iterator.next()
        this.#areTaken = false
        if (next.done) return
        yield next.value
      }
    } finally {
      this.#areTaken = true
      iterator.return?.().catch(() => {})
    }
  }

  /**
   * Resolves in an event-loop turn in which all emissions of the graph until now were taken: a stop signal in that
   * turn loses none. `false`: no such turn came within `limitMs`. Default: no limit.
   */
  async wait(limitMs = Number.POSITIVE_INFINITY): Promise<boolean> {
    const until = performance.now() + limitMs
    do await turn()
    while (!this.#areTaken && performance.now() < until)
    return this.#areTaken
  }
}
