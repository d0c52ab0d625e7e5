/** One running agent server as the gateway sees it: its connections and the open requests. */
import { type Dispatcher, Pool } from 'undici'
import type { Endpoint } from '../core/deployment/runtime.ts'
import type { Target } from '../core/deployment/target.ts'

/** An open request that can be ended at once, with an error for the client. */
export interface Cuttable {
  cut(): void
  /** Whether the client can resume elsewhere: it reads an event stream, or has a WebSocket. */
  readonly isResumable: boolean
}

const CONNECT_TIMEOUT_MS = 5_000
const MAX_HEADER_BYTES = 64 * 1024

/**
 * Serves until it is retired. A retired one closes its connections once nothing is open on it. It has as
 * many connections as requests, since streams stay open for hours.
 */
export class Upstream {
  readonly target: Target
  readonly endpoint: Endpoint
  readonly #pool: Pool
  readonly #onClosed: () => void
  readonly #open = new Set<Cuttable>()
  readonly #idleListeners = new Set<() => void>()
  #isRetired = false

  /** Calls `onClosed` when it is retired and its last request has ended. */
  constructor(target: Target, endpoint: Endpoint, onClosed: () => void) {
    this.target = target
    this.endpoint = endpoint
    this.#onClosed = onClosed
    this.#pool = new Pool(endpoint.url, {
      connections: null,
      connectTimeout: CONNECT_TIMEOUT_MS,
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: MAX_HEADER_BYTES,
    })
  }

  /** How many requests and WebSockets are open. */
  get openCount(): number {
    return this.#open.size
  }

  isAt(target: Target, endpoint: Endpoint): boolean {
    const { revision_id, workspace_id } = this.target
    return (
      revision_id === target.revision_id &&
      workspace_id === target.workspace_id &&
      this.endpoint.url === endpoint.url &&
      this.endpoint.token === endpoint.token
    )
  }

  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void {
    this.#pool.dispatch(options, handler)
  }

  enter(one: Cuttable): void {
    this.#open.add(one)
  }

  leave(one: Cuttable): void {
    if (!this.#open.delete(one) || this.#open.size > 0) return
    for (const listener of this.#idleListeners) listener()
    this.#idleListeners.clear()
  }

  /**
   * Settles when nothing is open. Cuts resumable requests after `limitMs`, and all others `graceMs`
   * later.
   */
  async drain(limitMs: number, graceMs: number): Promise<void> {
    if (this.#open.size === 0) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const cutResumable = () => {
      for (const one of [...this.#open]) if (one.isResumable) one.cut()
    }
    const timers = [
      setTimeout(cutResumable, limitMs),
      setTimeout(() => this.cutAll(), limitMs + graceMs),
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
    const close = () => void this.#pool.destroy().then(this.#onClosed)
    if (this.#open.size === 0) close()
    else this.#idleListeners.add(close)
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
