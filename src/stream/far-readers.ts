/**
 * Readers on other servers. Events are written as soon for a reader there as for one here. So each server announces
 * what its readers follow, and repeats it while they do.
 */
import type { Clock } from '../core/clock.ts'
import { type Notices, noNotices } from '../core/notices.ts'

/** How often a server repeats it, in ms. */
const TOLD_EVERY_MS = 1_000
/** How long an announcement counts, in ms: one notice may be lost or late. */
const COUNTS_MS = 3_000

export class FarReaders {
  readonly #notices: Notices
  readonly #clock: Clock
  /** How many readers here each run or thread has. */
  readonly #here = new Map<string, number>()
  #telling: NodeJS.Timeout | undefined
  /** Until when each run or thread counts as read, the first to end first. */
  readonly #until = new Map<string, number>()

  constructor(notices: Notices, clock: Clock) {
    this.#notices = notices
    this.#clock = clock
  }

  /** Announces a reader of the run or thread to other servers, until the returned function is called. */
  tell(id: string): () => void {
    if (this.#notices === noNotices) return () => {}
    const count = this.#here.get(id) ?? 0
    this.#here.set(id, count + 1)
    if (count === 0) this.#publish(id)
    this.#telling ??= setInterval(() => this.#publishAll(), TOLD_EVERY_MS).unref()
    return () => this.#leave(id)
  }

  #leave(id: string): void {
    const count = this.#here.get(id) ?? 0
    if (count > 1) this.#here.set(id, count - 1)
    else this.#here.delete(id)
    if (this.#here.size > 0) return
    clearInterval(this.#telling)
    this.#telling = undefined
  }

  /** Once for each id, however many readers it has. Notices of one turn are sent together. */
  #publishAll(): void {
    for (const id of this.#here.keys()) this.#publish(id)
  }

  #publish(id: string): void {
    this.#notices.publish({ kind: 'reads', id })
  }

  /** Notes another server's reader. */
  note(id: string): void {
    const now = this.#clock.now()
    for (const [old, until] of this.#until) {
      if (until > now) break
      this.#until.delete(old)
    }
    this.#until.delete(id)
    this.#until.set(id, now + COUNTS_MS)
  }

  has(id: string): boolean {
    return (this.#until.get(id) ?? 0) > this.#clock.now()
  }
}
