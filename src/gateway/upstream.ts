/** One running revision as the gateway sees it: its connections, and what is open on them. */
import { type Dispatcher, Pool } from 'undici'
import type { Target } from '../core/target.ts'

/** Something open that can be ended at once, with an error for the client. */
export interface Cuttable {
  cut(): void
}

const CONNECT_TIMEOUT_MS = 5_000
const MAX_HEADER_BYTES = 64 * 1024

/**
 * Serves until it is retired; a retired one closes its connections once nothing is open on it.
 * As many connections as there are requests: streams stay open for hours.
 */
export class Upstream {
  readonly target: Target
  private readonly pool: Pool
  private readonly open = new Set<Cuttable>()
  private readonly idleListeners = new Set<() => void>()
  private isRetired = false

  constructor(target: Target) {
    this.target = target
    this.pool = new Pool(target.endpoint.url, {
      connections: null,
      connectTimeout: CONNECT_TIMEOUT_MS,
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: MAX_HEADER_BYTES,
    })
  }

  /** How many requests and WebSockets are open. */
  get openCount(): number {
    return this.open.size
  }

  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void {
    this.pool.dispatch(options, handler)
  }

  enter(one: Cuttable): void {
    this.open.add(one)
  }

  leave(one: Cuttable): void {
    if (!this.open.delete(one) || this.open.size > 0) return
    for (const listener of this.idleListeners) listener()
    this.idleListeners.clear()
  }

  /** Settles when nothing is open, or after `limitMs` with all that was open cut. */
  async drain(limitMs: number): Promise<void> {
    if (this.open.size === 0) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(() => {
      this.cutAll()
      resolve()
    }, limitMs)
    this.idleListeners.add(resolve)
    await promise
    clearTimeout(timer)
  }

  cutAll(): void {
    for (const one of [...this.open]) one.cut()
  }

  /** No new request comes here. `onClosed` is called when the last one is over. */
  retire(onClosed: () => void): void {
    if (this.isRetired) return
    this.isRetired = true
    const close = () => void this.pool.destroy().then(onClosed)
    if (this.open.size === 0) close()
    else this.idleListeners.add(close)
  }
}
