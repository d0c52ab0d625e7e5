/** When the next delayed run is due, with the database asked no more often than others may add one. */
import type { RunStore } from '../core/agent/run.ts'

/** Times in ms since 1970. */
export class DueTimes {
  readonly #runs: Pick<RunStore, 'nextDue'>
  /** As far as is known here. */
  #next = Number.POSITIVE_INFINITY
  #isAsked = false

  constructor(runs: Pick<RunStore, 'nextDue'>) {
    this.#runs = runs
  }

  /** A run was added here that is due then. */
  expect(dueAt: number): void {
    this.#next = Math.min(this.#next, dueAt)
  }

  /** Another process may have added one: the database is asked again. */
  forget(): void {
    this.#isAsked = false
  }

  /** The first of those that were not due at `now`, which may have become so since; else infinity. */
  async nextAfter(now: number): Promise<number> {
    if (this.#isAsked && this.#next > now) return this.#next
    this.#isAsked = true
    this.#next = Number.POSITIVE_INFINITY
    const dueAt = await this.#runs.nextDue(now)
    // One that was added meanwhile may be due before it.
    if (dueAt !== undefined) this.expect(dueAt)
    return this.#next
  }
}
