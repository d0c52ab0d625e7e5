/** Lets one caller in at a time, in the order of their calls. */
export class Mutex {
  #isTaken = false
  readonly #waiting: (() => void)[] = []

  /** Whether no caller is in. Work that awaits nothing may then run without `take`. */
  get isFree(): boolean {
    return !this.#isTaken
  }

  /** Runs `work` when all earlier callers are done. */
  async take<T>(work: () => T | Promise<T>): Promise<T> {
    if (this.#isTaken) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    this.#isTaken = true
    try {
      return await work()
    } finally {
      this.#pass()
    }
  }

  // It stays taken when a caller waits, so that a new caller cannot overtake the woken one.
  #pass(): void {
    const next = this.#waiting.shift()
    if (next) next()
    else this.#isTaken = false
  }
}
