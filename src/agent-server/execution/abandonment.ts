/** Waiting for a project's code that may not heed its abort signal. */

/**
 * How long code that was told to stop may go on before it is left to itself, in ms. What it writes
 * afterwards is refused: its lease is gone by then.
 */
const ABANDON_MS = 1_500

export class Abandonment {
  readonly #signal: AbortSignal
  readonly #graceMs: number
  readonly #onAbort = () => this.#startTimer()
  #timer: NodeJS.Timeout | undefined
  #isOver = false
  #giveUp: (reason: unknown) => void = () => {}

  constructor(signal: AbortSignal, graceMs = ABANDON_MS) {
    this.#signal = signal
    this.#graceMs = graceMs
    if (signal.aborted) this.#startTimer()
    else signal.addEventListener('abort', this.#onAbort)
  }

  /** The promise's outcome; rejects with the signal's reason once the time after its abort is up. */
  wait<T>(promise: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      promise.then(resolve, reject)
      if (this.#isOver) reject(this.#signal.reason)
      // One at a time: `Promise.race` would keep a reaction for each wait of a long stream.
      this.#giveUp = reject
    })
  }

  /** Whether the time after the abort is up. */
  get isOver(): boolean {
    return this.#isOver
  }

  /** Each item of the stream until it ends or fails; rejects as `wait` does. */
  async *each<T>(stream: AsyncIterable<T>): AsyncIterable<T> {
    const iterator = stream[Symbol.asyncIterator]()
    try {
      for (;;) {
        const next = await this.wait(iterator.next())
        if (next.done) return
        yield next.value
      }
    } finally {
      // Not waited for: code that ignores its signal may never answer.
      iterator.return?.().catch(() => {})
    }
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#signal.removeEventListener('abort', this.#onAbort)
  }

  #startTimer(): void {
    this.#timer = setTimeout(() => {
      this.#isOver = true
      this.#giveUp(this.#signal.reason)
    }, this.#graceMs)
  }
}
