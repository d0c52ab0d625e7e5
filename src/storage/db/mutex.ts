/** One at a time, in the order asked. */
export class Mutex {
  #isTaken = false
  readonly #waiting: (() => void)[] = []

  /** Nobody has the turn: what is done without awaiting anything needs none. */
  get isFree(): boolean {
    return !this.#isTaken
  }

  /** Runs `work` when all that asked earlier are done. */
  async take<T>(work: () => T | Promise<T>): Promise<T> {
    if (this.#isTaken) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    this.#isTaken = true
    try {
      return await work()
    } finally {
      this.#pass()
    }
  }

  // Stays taken when someone waits: a newcomer must not slip in before the one that was woken.
  #pass(): void {
    const next = this.#waiting.shift()
    if (next) next()
    else this.#isTaken = false
  }
}
