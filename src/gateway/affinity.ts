/**
 * Chooses among several agent servers: a request goes to the least busy one. A thread's requests stay with the server
 * of the previous one while that is about as idle as the others. It most likely executes the thread's run and sends its
 * events at once; the others would read them from the shared database. This only affects speed.
 */
import type { Upstream } from './upstream/upstream.ts'

/** How many more requests the thread's own agent server may have open than the least busy one. */
const SLACK = 4
const MOST_THREADS = 10_000
const THREAD = /\/threads\/([0-9a-f-]{36})(?=[/?]|$)/i

export class Affinity {
  /** The URL that was chosen last for each thread, the oldest choice first. */
  readonly #last = new Map<string, string>()

  choose(upstreams: Upstream[], path: string): Upstream | undefined {
    const [first] = upstreams
    if (upstreams.length < 2) return first
    const least = upstreams.reduce((a, b) => (b.open.length < a.open.length ? b : a))
    const thread_id = THREAD.exec(path)?.[1]
    if (thread_id === undefined) return least
    const known = upstreams.find((one) => one.endpoint.url === this.#last.get(thread_id))
    const chosen = known && known.open.length <= least.open.length + SLACK ? known : least
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
