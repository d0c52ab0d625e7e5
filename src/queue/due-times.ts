/** Knows when the next delayed run is due. It asks the database only when another process may have added one. */
import type { RunStore } from '../core/agent/run.ts'

/** Times in ms since 1970. */
export class DueTimes {
  readonly #runs: Pick<RunStore, 'nextDue'>
  /** The earliest time that this server knows. */
  #next = Number.POSITIVE_INFINITY
  #isAsked = false

  constructor(runs: Pick<RunStore, 'nextDue'>) {
    this.#runs = runs
  }

  /** A run was added here that is due at this time. */
  expect(dueAt: number): void {
    this.#next = Math.min(this.#next, dueAt)
  }

  /** Another process may have added a run: the database has to be asked again. */
  forget(): void {
    this.#isAsked = false
  }

  /** The earliest due time after `now`; it may have passed since. Infinity when there is none. */
  async nextAfter(now: number): Promise<number> {
    if (this.#isAsked && this.#next > now) return this.#next
    this.#isAsked = true
    this.#next = Number.POSITIVE_INFINITY
    const dueAt = await this.#runs.nextDue(now)
    // A run that was added meanwhile may be due earlier.
    if (dueAt !== undefined) this.expect(dueAt)
    return this.#next
  }
}
