/** Work on a build's result that continues after the build, while the revision is rolled out. */

interface Running {
  abort: AbortController
  hasBegun: boolean
  ended: Promise<void>
}

export class LaterWork {
  /** By revision id. */
  readonly #running = new Map<string, Running>()
  #last: Promise<void> = Promise.resolve()

  /**
   * Starts `work` when all earlier work has ended: each may take hundreds of megabytes, and nothing waits for it.
   * `work` does not throw, and ends soon after its signal is aborted. A revision has one at a time.
   */
  begin(revision_id: string, work: (signal: AbortSignal) => Promise<void>): void {
    const running: Running = {
      abort: new AbortController(),
      hasBegun: false,
      ended: this.#last.then(() => this.#run(revision_id, running, work)),
    }
    this.#running.set(revision_id, running)
    this.#last = running.ended
  }

  /** Ends the revision's work before its folder is removed, and waits for it. Work that has not begun never begins. */
  async end(revision_id: string): Promise<void> {
    const running = this.#running.get(revision_id)
    running?.abort.abort()
    if (running?.hasBegun) await running.ended
  }

  /** Ends all work and waits for it. */
  async stop(): Promise<void> {
    for (const { abort } of this.#running.values()) abort.abort()
    await this.#last
  }

  async #run(
    revision_id: string,
    running: Running,
    work: (signal: AbortSignal) => Promise<void>,
  ): Promise<void> {
    const { signal } = running.abort
    running.hasBegun = true
    if (!signal.aborted) await work(signal)
    if (this.#running.get(revision_id) === running) this.#running.delete(revision_id)
  }
}
