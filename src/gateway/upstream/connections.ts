/** The connections to one server, and the requests that are open on them. */
import { type Dispatcher, Pool } from 'undici'
import { type AnswerReceiver, KeptConnections, type Sending } from './kept-connections.ts'

/** An open request that can be ended at once. */
export interface Cuttable {
  /** Destroys the client's connection: a clean end would look like the end of the stream. */
  cut(): void
  /** Cuts where the client's answer has begun. Otherwise the client gets a refusal. */
  giveUp(reason: Error): void
  /** Whether the client can resume elsewhere: it reads an event stream, or has a WebSocket. */
  readonly isResumable: boolean
  /** Where it stands among the open ones, as `Connections` notes it; -1: it is none of them. */
  place: number
}

const MAX_HEADER_BYTES = 64 * 1024

/**
 * Serves until it is retired. A retired one closes its connections once nothing is open on it. It has as
 * many connections as requests, since streams stay open for hours.
 */
export class Connections {
  readonly #url: string
  readonly #connectTimeout: number
  readonly #kept: KeptConnections | undefined
  /** For all that is not plain HTTP/1.1 on a kept connection. Most servers never need it. */
  #pool: Pool | undefined
  readonly #onClosed: () => void
  /**
   * Not a `Set`, which copies itself into a new table again and again when much comes and goes: each table that has
   * grown old keeps what was open then, and the next table, from the short garbage collections.
   */
  readonly #open: Cuttable[] = []
  readonly #idleListeners = new Set<() => void>()
  #isRetired = false

  /** Calls `onClosed` when it is retired and its last request has ended. */
  constructor(url: string, connectTimeout: number, onClosed: () => void) {
    this.#url = url
    this.#connectTimeout = connectTimeout
    this.#onClosed = onClosed
    if (url.startsWith('http:')) this.#kept = new KeptConnections(url, connectTimeout)
  }

  /** The open requests and WebSockets. */
  get open(): readonly Cuttable[] {
    return this.#open
  }

  /** Sends a request on a connection of its own: a handshake, or one over TLS. */
  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void {
    this.#pool ??= new Pool(this.#url, {
      connections: null,
      allowH2: false,
      connectTimeout: this.#connectTimeout,
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: MAX_HEADER_BYTES,
    })
    this.#pool.dispatch(options, handler)
  }

  /** Sends a request on a kept connection. `false`: this server has none, and nothing was done. */
  send(sending: Sending, receiver: AnswerReceiver): boolean {
    this.#kept?.dispatch(sending, receiver, this.#open.length === 1)
    return this.#kept !== undefined
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

  /**
   * Settles when nothing is open. Cuts resumable requests after `limitMs`, and all others `graceMs`
   * later.
   */
  async drain(limitMs: number, graceMs: number): Promise<void> {
    if (this.#open.length === 0) return
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
    const close = () => void this.#close()
    if (this.#open.length === 0) close()
    else this.#idleListeners.add(close)
  }

  async #close(): Promise<void> {
    this.#kept?.destroy()
    await this.#pool?.destroy()
    this.#onClosed()
  }
}
