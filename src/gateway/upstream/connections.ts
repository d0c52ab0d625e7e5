/** The connections to one server, and the requests that are open on them. */
import type { Dispatcher } from 'undici'
import { KeptConnections } from './kept-connections.ts'

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
