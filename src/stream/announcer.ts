/** Those who wait for something new, and how they are told. */
export class Announcer {
  readonly #waiting = new Set<() => void>()
  /** Counts what was announced; a follower that saw it change has missed nothing by not waiting. */
  version = 0
  /** How many follow; counted by the log. */
  followers = 0

  /** Wakes all who wait. */
  announce(): void {
    this.version += 1
    for (const wake of this.#waiting) wake()
  }

  /**
   * Settles once the version is no longer `seen`, after `ms`, or when the signal aborts; never
   * rejects.
   */
  changed(seen: number, ms: number, signal: AbortSignal): Promise<void> {
    if (this.version !== seen || signal.aborted) return Promise.resolve()
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', done)
        this.#waiting.delete(done)
        resolve()
      }
      const timer = setTimeout(done, ms)
      signal.addEventListener('abort', done)
      this.#waiting.add(done)
    })
  }
}
