/**
 * The connections to one server. There are as many as requests, since streams stay open for hours. A connection is
 * reused only after a quiet while: a project's route may send more than it announced, a moment later, and that must not
 * become the next caller's response.
 *
 * ```
 * opened ──▶ busy ──answer ended──▶ quiet ──QUIET_MS──▶ ready ──▶ busy
 * ```
 */
import { performance } from 'node:perf_hooks'
import { buildConnector, type Dispatcher } from 'undici'
import { KeptConnection } from './kept-connection.ts'

/** How long a connection must be quiet before it is reused, in ms. */
const QUIET_MS = 100

export class KeptConnections {
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
