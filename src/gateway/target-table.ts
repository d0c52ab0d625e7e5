/** The gateway's half of `core/deployment/target.ts`: the upstreams of each name. */

import type { Endpoint } from '../core/deployment/runtime.ts'
import {
  type Activity,
  CLOSED,
  type Entrance,
  type Hold,
  type ReferringTable,
  type Target,
  type TargetState,
} from '../core/deployment/target.ts'
import { AppError } from '../core/errors.ts'
import { Name } from './name.ts'
import { noDeployment } from './route.ts'
import { type Upstream, UpstreamPool } from './upstream/connections.ts'

// Chooses among several agent servers: a request goes to the least busy one. A thread's requests stay with the server
// of the previous one while that is about as idle as the others. It most likely executes the thread's run and sends its
// events at once; the others would read them from the shared database. This only affects speed.

/** How many more requests the thread's own agent server may have open than the least busy one. */
const SLACK = 4
const MOST_THREADS = 10_000
const THREAD = /\/threads\/([0-9a-f-]{36})(?=[/?]|$)/i

class Affinity {
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

/** How long a drain waits, beyond its limit, for responses that cannot be resumed, in ms. */
const DEFAULT_GRACE_MS = 600_000

/**
 * Kept in memory only: the reconciler fills it at the start and updates it. Each method affects every request that has
 * no upstream yet.
 */
export class Targets implements ReferringTable {
  readonly #names = new Map<string, Name>()
  readonly #entrances = new Map<string, Entrance>()
  readonly #pool = new UpstreamPool()
  readonly #affinity = new Affinity()
  #isStopped = false

  observe(name: string): TargetState {
    return this.#names.get(name)?.observed ?? { kind: 'unknown' }
  }

  set(name: string, target: Target): void {
    if (this.#isStopped) return
    const { workspace_id } = target
    const upstreams = target.endpoints.map((endpoint) => this.#upstreamAt(name, target, endpoint))
    this.#put(name, { kind: 'serving', workspace_id, target, upstreams })
  }

  hold(name: string, hold: Hold): void {
    if (!this.#isStopped) this.#put(name, { kind: 'held', isWanted: false, ...hold })
  }

  pause(name: string, deployment: { workspace_id: string }): void {
    if (!this.#isStopped) this.#put(name, { kind: 'paused', workspace_id: deployment.workspace_id })
  }

  refer(name: string, { workspace_id, url }: Parameters<ReferringTable['refer']>[1]): void {
    if (!this.#isStopped) this.#put(name, { kind: 'elsewhere', workspace_id, url })
  }

  entrance(name: string): Entrance {
    return this.#entrances.get(name) ?? CLOSED
  }

  enter(name: string, entrance: Entrance): void {
    if (this.#isStopped) return
    this.#entrances.set(name, entrance)
    const known = this.#names.get(name)
    if (known) known.isPublic = entrance.isPublic
  }

  remove(name: string): void {
    const entry = this.#names.get(name)
    this.#names.delete(name)
    this.#entrances.delete(name)
    entry?.setState(undefined)
  }

  async drain(
    what: { revision_id: string; url?: string },
    limitMs: number,
    graceMs = DEFAULT_GRACE_MS,
  ): Promise<void> {
    await this.#pool.drain(what, limitMs, graceMs)
  }

  activity(name: string): Activity {
    return this.#names.get(name)?.activity ?? { open: 0, last_at: 0 }
  }

  /** The deployment of this host label. In a host name `_` is written `-`. */
  nameOfHost(label: string): string | undefined {
    if (this.#names.has(label)) return label
    return [...this.#names.keys()].find((name) => name.replaceAll('_', '-') === label)
  }

  /** The entry of the name. Throws `not_found`. */
  find(name: string): Name {
    if (this.#isStopped) throw new AppError('unavailable', 'Runyard is shutting down.')
    const entry = this.#names.get(name)
    if (!entry) throw noDeployment(name)
    return entry
  }

  /**
   * The least busy upstream of the name. Among equals it takes the one that last served the thread in
   * `path`.
   */
  choose(name: Name, path: string): Upstream | undefined {
    const { state } = name
    return state?.kind === 'serving' ? this.#affinity.choose(state.upstreams, path) : undefined
  }

  /** Cuts all open requests. From now on every name answers `unavailable`. */
  stop(): void {
    this.#isStopped = true
    this.clear()
  }

  /** Forgets every name and cuts all open requests. */
  clear(): void {
    for (const name of [...this.#names.keys()]) this.remove(name)
    this.#entrances.clear()
    this.#pool.cutAll()
  }

  #put(name: string, state: Name['state']): void {
    const known = this.#names.get(name) ?? new Name(name)
    known.isPublic = this.entrance(name).isPublic
    this.#names.set(name, known)
    known.setState(state)
  }

  /** Reuses the upstream that is already there, if nothing about it has changed. */
  #upstreamAt(name: string, target: Target, endpoint: Endpoint): Upstream {
    const state = this.#names.get(name)?.state
    const there = state?.kind === 'serving' ? state.upstreams : []
    const same = there.find((upstream) => upstream.isAt(target, endpoint))
    return same ?? this.#pool.open(target, endpoint)
  }
}
