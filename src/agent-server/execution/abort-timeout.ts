/** Waits for code of a project that may ignore its abort signal. */

export class AbortTimeout {
  readonly #signal: AbortSignal
  readonly #graceMs: number
  readonly #onAbort = () => this.#startTimer()
  #timer: NodeJS.Timeout | undefined
  #isOver = false
  #giveUp: (reason: unknown) => void = () => {}

  /** `graceMs`: how long code may go on after the abort. Then nobody waits for it. */
  constructor(signal: AbortSignal, graceMs: number) {
    this.#signal = signal
    this.#graceMs = graceMs
    if (signal.aborted) this.#startTimer()
    else signal.addEventListener('abort', this.#onAbort)
  }

  /** Settles as the promise does. Rejects with the signal's reason when the time after the abort is up. */
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

  /** Each item of the stream until it ends or fails. Rejects like `wait`. */
  async *each<T>(stream: AsyncIterable<T>): AsyncIterable<T> {
    const iterator = stream[Symbol.asyncIterator]()
    try {
      for (;;) {
        const next = await this.wait(iterator.next())
        if (next.done) return
        yield next.value
      }
    } finally {
      // Not awaited: code that ignores its signal may never answer.
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
