/**
 * Which of several agent servers a request goes to: the least busy one. A thread's requests stay
 * with the one that had the last of them while that is about as idle as the others: it executes the
 * thread's run most likely, and hands its events out at once. The others read them from the database
 * that all share, so this is for speed only.
 */
import type { Upstream } from './upstream.ts'

/** How many more requests the thread's own agent server may have open than the least busy one. */
const SLACK = 4
const MOST_THREADS = 10_000
const THREAD = /\/threads\/([0-9a-f-]{36})(?=[/?]|$)/i

export class Affinity {
  /** By thread, the url that was chosen last; the longest ago first. */
  readonly #last = new Map<string, string>()

  choose(upstreams: Upstream[], path: string): Upstream | undefined {
    const [first] = upstreams
    if (upstreams.length < 2) return first
    const least = upstreams.reduce((a, b) => (b.openCount < a.openCount ? b : a))
    const thread_id = THREAD.exec(path)?.[1]
    if (thread_id === undefined) return least
    const known = upstreams.find((one) => one.endpoint.url === this.#last.get(thread_id))
    const chosen = known && known.openCount <= least.openCount + SLACK ? known : least
    this.#note(thread_id, chosen.endpoint.url)
    return chosen
  }

  #note(thread_id: string, url: string): void {
    this.#last.delete(thread_id)
    this.#last.set(thread_id, url)
    if (this.#last.size <= MOST_THREADS) return
    for (const oldest of this.#last.keys()) {
      this.#last.delete(oldest)
      return
    }
  }
}
