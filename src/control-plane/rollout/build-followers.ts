/**
 * Tracks which keys follow a build's log. The official CLIs poll a revision's status and read its build
 * log only while that is BUILDING, a page at a time: they would never see the end of the log. So a key
 * that follows a log sees BUILDING until it has read the log to its end; the rollout itself does not
 * wait.
 */

import type { Clock } from '../../core/clock.ts'
import { ExpiringMap } from '../../core/expiring-map.ts'
import type { Principal } from '../../core/people/api-key.ts'

/** A follower without a request for this long, in ms, has gone. */
export const FOLLOWER_GONE_MS = 10_000

/** How many followers are remembered. */
const MOST_FOLLOWERS = 10_000

export class BuildFollowers {
  /** The followers that have not read to the end. */
  readonly #behind: ExpiringMap<true>

  constructor(clock: Clock) {
    this.#behind = new ExpiringMap({ entries: MOST_FOLLOWERS }, clock)
  }

  /** Notes that a page was read; `isAtEnd`: the build is over, and the page is the last one. */
  note(principal: Principal, revision_id: string, isAtEnd: boolean): void {
    const ttlMs = isAtEnd ? 0 : FOLLOWER_GONE_MS
    this.#behind.set(keyOf(principal, revision_id), true, { ttlMs })
  }

  isBehind(principal: Principal, revision_id: string): boolean {
    return this.#behind.get(keyOf(principal, revision_id)) ?? false
  }
}

function keyOf({ user_id }: Principal, revision_id: string): string {
  return `${user_id} ${revision_id}`
}
