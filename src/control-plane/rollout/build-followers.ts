/**
 * Tracks which keys follow a build's log. The official CLIs poll a revision's status and read its build
 * log only while that is BUILDING, a page at a time: they would never see the end of the log. So a key
 * that follows a log sees BUILDING until it has read the log to its end; the rollout itself does not
 * wait.
 */

import type { Clock } from '../../core/clock.ts'
import type { Principal } from '../../core/people/api-key.ts'

/** A follower without a request for this long, in ms, has gone. */
export const FOLLOWER_GONE_MS = 10_000

export class BuildFollowers {
  readonly #clock: Clock
  /** The last request of each follower that has not read to the end, in ms since 1970; the oldest first. */
  readonly #behind = new Map<string, number>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Notes that a page was read; `isAtEnd`: the build is over, and the page is the last one. */
  note(principal: Principal, revision_id: string, isAtEnd: boolean): void {
    const key = keyOf(principal, revision_id)
    this.#behind.delete(key)
    if (!isAtEnd) this.#behind.set(key, this.#clock.now())
    this.#forgetGone()
  }

  isBehind(principal: Principal, revision_id: string): boolean {
    this.#forgetGone()
    return this.#behind.has(keyOf(principal, revision_id))
  }

  #forgetGone(): void {
    const gone = this.#clock.now() - FOLLOWER_GONE_MS
    for (const [key, at] of this.#behind) {
      if (at > gone) return
      this.#behind.delete(key)
    }
  }
}

function keyOf({ user_id }: Principal, revision_id: string): string {
  return `${user_id} ${revision_id}`
}
