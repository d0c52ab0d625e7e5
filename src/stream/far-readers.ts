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
  /** How many readers here each run or thread has. */
  readonly #here = new Map<string, number>()
  #telling: NodeJS.Timeout | undefined
  /** Until when each run or thread counts as read, the first to end first. */
  readonly #until = new Map<string, number>()

  constructor(notices: Notices, clock: Clock) {
    this.#notices = notices
    this.#clock = clock
  }

  /** Tells other servers that somebody here reads the run or thread, until what is answered is called. */
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

  /** Once for each, however many read it; those of one turn go together. */
  #publishAll(): void {
    for (const id of this.#here.keys()) this.#publish(id)
  }

  #publish(id: string): void {
    this.#notices.publish({ kind: 'reads', id })
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
