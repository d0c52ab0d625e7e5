/** The agent servers that the gateway sends to, their connections, and the requests that are open on them. */
import { performance } from 'node:perf_hooks'
import { buildConnector, type Dispatcher } from 'undici'
import type { Endpoint } from '../../core/deployment/runtime.ts'
import type { Target } from '../../core/deployment/target.ts'
import { KeptConnection } from './kept-connection.ts'

/** An open request that can be ended at once. */
export interface Cuttable {
  /** Destroys the client's connection: a clean end would look like the end of the stream. */
  cut(): void
  /** Its server will end: the response continues at another one if possible, and is cut otherwise. */
  moveOn(): void
  /** Cuts a response that has begun. Otherwise the client gets a refusal. */
  giveUp(reason: Error): void
  /** Whether it can continue elsewhere: the client reads an event stream, or has a WebSocket. */
  readonly isResumable: boolean
  /** Its index among the open ones, set by `Connections`; -1: it is not open. */
  place: number
}

/**
 * Serves until it is retired. Then it closes its connections once nothing is open on it. It has as many connections as
 * requests, since streams stay open for hours.
 */
export class Connections {
  readonly #kept: KeptConnections
  readonly #onClosed: () => void
  /**
   * Not a `Set`, which keeps copying itself into a new table when entries come and go: each old table keeps its
   * entries, and the next table, from the short garbage collections.
   */
  readonly #open: Cuttable[] = []
  readonly #idleListeners = new Set<() => void>()
  #isRetired = false

  /** Calls `onClosed` when it is retired and its last request has ended. */
  constructor(url: string, connectTimeout: number, onClosed: () => void) {
    this.#onClosed = onClosed
    this.#kept = new KeptConnections(url, connectTimeout)
  }

  /** The open requests and WebSockets. */
  get open(): readonly Cuttable[] {
    return this.#open
  }

  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void {
    this.#kept.dispatch(options, handler)
  }

  enter(one: Cuttable): void {
    one.place = this.#open.length
    this.#open.push(one)
  }

  leave(one: Cuttable): void {
    const { place } = one
    if (place === -1) return
    const last = this.#open.pop() as Cuttable
    if (last !== one) this.#open[place] = last
    last.place = place
    one.place = -1
    if (this.#open.length > 0) return
    for (const listener of this.#idleListeners) listener()
    this.#idleListeners.clear()
  }

  /** Resolves when nothing is open. Moves resumable requests on after `limitMs`, and all others `graceMs` later. */
  async drain(limitMs: number, graceMs: number): Promise<void> {
    if (this.#open.length === 0) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const moveOn = (isMoved: (one: Cuttable) => boolean) => {
      for (const one of [...this.#open].filter(isMoved)) one.moveOn()
    }
    const timers = [
      setTimeout(moveOn, limitMs, (one: Cuttable) => one.isResumable),
      setTimeout(moveOn, limitMs + graceMs, () => true),
    ]
    this.#idleListeners.add(resolve)
    await promise
    for (const timer of timers) clearTimeout(timer)
  }

  cutAll(): void {
    for (const one of [...this.#open]) one.cut()
  }

  /** Takes no new requests from now on. */
  retire(): void {
    if (this.#isRetired) return
    this.#isRetired = true
    const close = () => this.#close()
    if (this.#open.length === 0) close()
    else this.#idleListeners.add(close)
  }

  #close(): void {
    this.#kept.destroy()
    this.#onClosed()
  }
}

// The connections to one server. There are as many as requests, since streams stay open for hours. A connection is
// reused only after a quiet while: a project's route may send more than it announced, a moment later, and that must not
// become the next caller's response.
//
// ```
// opened ──▶ busy ──answer ended──▶ quiet ──QUIET_MS──▶ ready ──▶ busy
// ```

/** How long a connection must be quiet before it is reused, in ms. */
const QUIET_MS = 100

class KeptConnections {
  readonly #origin: string
  readonly #connect: buildConnector.connector
  readonly #all = new Set<KeptConnection>()
  /** In the order in which their responses ended. */
  readonly #quiet: KeptConnection[] = []
  /** Most recently used last. */
  readonly #ready: KeptConnection[] = []

  constructor(origin: string, connectTimeoutMs: number) {
    this.#origin = origin
    this.#connect = buildConnector({ timeout: connectTimeoutMs, allowH2: false })
  }

  /** All errors go to the handler, also for a request that cannot be sent. */
  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void {
    const one = this.#takeReady() ?? this.#open()
    one.send(options, handler)
  }

  destroy(): void {
    for (const one of [...this.#all]) one.destroy()
  }

  #takeReady(): KeptConnection | undefined {
    const since = performance.now() - QUIET_MS
    while (this.#quiet[0] && this.#quiet[0].freeSince <= since) {
      this.#ready.push(this.#quiet.shift() as KeptConnection)
    }
    for (let one = this.#ready.pop(); one; one = this.#ready.pop()) {
      if (one.isClean) return one
      one.destroy()
    }
    return undefined
  }

  #open(): KeptConnection {
    const one = new KeptConnection(this.#origin, {
      connect: this.#connect,
      onFree: (free) => this.#quiet.push(free),
      onGone: (gone) => this.#forget(gone),
    })
    this.#all.add(one)
    return one
  }

  #forget(one: KeptConnection): void {
    this.#all.delete(one)
    for (const list of [this.#quiet, this.#ready]) {
      const at = list.indexOf(one)
      if (at !== -1) list.splice(at, 1)
    }
  }
}

const CONNECT_TIMEOUT_MS = 5_000

/** One running agent server as the gateway sees it. */
export class Upstream extends Connections {
  readonly target: Target
  readonly endpoint: Endpoint

  constructor(target: Target, endpoint: Endpoint, onClosed: () => void) {
    super(endpoint.url, CONNECT_TIMEOUT_MS, onClosed)
    this.target = target
    this.endpoint = endpoint
  }

  isAt(target: Target, endpoint: Endpoint): boolean {
    const { revision_id, workspace_id } = this.target
    return (
      revision_id === target.revision_id &&
      workspace_id === target.workspace_id &&
      this.endpoint.url === endpoint.url &&
      this.endpoint.token === endpoint.token &&
      this.endpoint.hasOwnAuth === endpoint.hasOwnAuth &&
      this.endpoint.forwardsApiKey === endpoint.forwardsApiKey
    )
  }
}

/** All upstreams, also those without a name that still have open requests. */
export class UpstreamPool {
  readonly #all = new Set<Upstream>()

  open(target: Target, endpoint: Endpoint): Upstream {
    const upstream: Upstream = new Upstream(target, endpoint, () => this.#all.delete(upstream))
    this.#all.add(upstream)
    return upstream
  }

  async drain(
    what: { revision_id: string; url?: string },
    limitMs: number,
    graceMs: number,
  ): Promise<void> {
    const drained = [...this.#all].filter(
      ({ target, endpoint }) =>
        target.revision_id === what.revision_id && (what.url ?? endpoint.url) === endpoint.url,
    )
    await Promise.all(drained.map((upstream) => upstream.drain(limitMs, graceMs)))
  }

  cutAll(): void {
    for (const upstream of [...this.#all]) upstream.cutAll()
  }
}
