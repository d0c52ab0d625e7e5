/** Wakes followers that wait for something new. */
export class Announcer {
  readonly #waiting = new Set<() => void>()
  /** Counts the announcements. A follower that sees a new number does not wait, and so misses nothing. */
  version = 0
  /** How many followers there are. The event log counts them. */
  followers = 0

  /** Wakes all waiting followers. */
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
