/** Waits for project code that may ignore its abort signal. */

export class AbortTimeout {
  readonly #signal: AbortSignal
  readonly #graceMs: number
  readonly #onAbort = () => this.#startTimer()
  #timer: NodeJS.Timeout | undefined
  #isOver = false
  #giveUp: (reason: unknown) => void = () => {}

  /** `graceMs`: how long the code may continue after the abort before `wait` rejects. */
  constructor(signal: AbortSignal, graceMs: number) {
    this.#signal = signal
    this.#graceMs = graceMs
    if (signal.aborted) this.#startTimer()
    else signal.addEventListener('abort', this.#onAbort)
  }

  /** Settles like the promise. Rejects with the signal's reason when the grace time after the abort is over. */
  wait<T>(promise: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      promise.then(resolve, reject)
      if (this.#isOver) reject(this.#signal.reason)
      // Not `Promise.race`: it would keep a reaction for each wait of a long stream.
      this.#giveUp = reject
    })
  }

  /** Whether the grace time after the abort is over. */
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
      // Not awaited: code that ignores its signal may never return.
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
