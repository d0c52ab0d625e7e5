/**
 * Readers on other servers. What somebody reads as it comes is written as soon for one there as for one here, so each
 * server tells the others what its readers read, and tells it again for as long as they do.
 */
import type { Clock } from '../core/clock.ts'
import { type Notices, noNotices } from '../core/notices.ts'

/** How often it is told, in ms. */
const TOLD_EVERY_MS = 1_000
/** For how long it counts, in ms: one notice may be lost or late. */
const COUNTS_MS = 3_000

export class FarReaders {
  readonly #notices: Notices
  readonly #clock: Clock
  /** Until when each run or thread counts as read, the first to end first. */
  readonly #until = new Map<string, number>()

  constructor(notices: Notices, clock: Clock) {
    this.#notices = notices
    this.#clock = clock
  }

  /** Tells other servers that somebody here reads the run or thread, until what is answered is called. */
  tell(id: string): () => void {
    if (this.#notices === noNotices) return () => {}
    const publish = () => this.#notices.publish({ kind: 'reads', id })
    publish()
    const timer = setInterval(publish, TOLD_EVERY_MS)
    timer.unref()
    return () => clearInterval(timer)
  }

  /** Another server has told so. */
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
