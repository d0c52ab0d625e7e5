/** Lets one caller in at a time, in the order of their calls. */
export class Mutex {
  #isTaken = false
  readonly #waiting: (() => void)[] = []

  /** Whether nobody is in. Work that awaits nothing may then run without `take`. */
  get isFree(): boolean {
    return !this.#isTaken
  }

  /** Runs `work` when everybody who called earlier is done. */
  async take<T>(work: () => T | Promise<T>): Promise<T> {
    if (this.#isTaken) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    this.#isTaken = true
    try {
      return await work()
    } finally {
      this.#pass()
    }
  }

  // It stays taken when someone waits, so that a new caller cannot overtake the one that is woken.
  #pass(): void {
    const next = this.#waiting.shift()
    if (next) next()
    else this.#isTaken = false
  }
}
