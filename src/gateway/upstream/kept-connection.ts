/**
 * One connection to a server, with one request at a time. undici speaks HTTP on it. This guards its input.
 *
 * ```
 * free ──send──▶ busy ──answer ended──▶ free
 *   │             │
 *   └─────────────┴── closed, or bytes that belong to no answer ──▶ gone
 * ```
 */
import type { Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import { type buildConnector, Client, type Dispatcher } from 'undici'

/** The most interim (1xx) responses before a response. */
const MAX_INTERIM = 8
/** The most bytes of a response besides its body, and the most for each byte of the body. */
const MAX_OVERHEAD_BYTES = 256 * 1024
const MAX_OVERHEAD_PER_BYTE = 16

const MAX_HEADER_BYTES = 64 * 1024
/** A free connection is closed this long before the server would, so that no request meets its end. */
const BEFORE_SERVER_MS = 2_000

interface ConnectionParts {
  connect: buildConnector.connector
  /** As far as is known, another request may be sent. */
  onFree(one: KeptConnection): void
  onGone(one: KeptConnection): void
}

export class KeptConnection implements Dispatcher.DispatchHandler {
  readonly #client: Client
  readonly #parts: ConnectionParts
  #socket: Socket | undefined
  #handler: Dispatcher.DispatchHandler | undefined
  /** The request was sent, so undici does not send it on another connection. */
  #isSent = false
  #interim = 0
  #bodyBytes = 0
  /** The bytes read when the last response ended. */
  #readBefore = 0
  #freeSince = 0

  constructor(origin: string, parts: ConnectionParts) {
    this.#parts = parts
    this.#client = new Client(origin, {
      connect: (options, callback) => this.#connect(options, callback),
      pipelining: 1,
      allowH2: false,
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeoutThreshold: BEFORE_SERVER_MS,
      maxHeaderSize: MAX_HEADER_BYTES,
    })
    this.#client.on('disconnect', () => this.#onDisconnect())
  }

  /** When its last response ended, on the clock of `performance`. */
  get freeSince(): number {
    return this.#freeSince
  }

  /** Whether it is open, and nothing has arrived since its last response. */
  get isClean(): boolean {
    const socket = this.#socket
    return socket !== undefined && !socket.destroyed && socket.bytesRead === this.#readBefore
  }

  /** The connection must be free. `onGone` is called after a failure, and after a handshake. */
  send(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void {
    this.#handler = handler
    this.#isSent = false
    this.#interim = 0
    this.#bodyBytes = 0
    this.#client.dispatch(options, this)
  }

  destroy(): void {
    void this.#client.destroy()
  }

  onRequestStart(controller: Dispatcher.DispatchController, context: unknown): void {
    this.#isSent = true
    this.#handler?.onRequestStart?.(controller, context)
  }

  onResponseStart(...args: Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>) {
    const [, statusCode] = args
    if (statusCode < 200) {
      this.#interim += 1
      if (this.#interim <= MAX_INTERIM) return
      throw new Error(`The answer has more than ${MAX_INTERIM} interim answers before it.`)
    }
    this.#handler?.onResponseStart?.(...args)
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bodyBytes += chunk.length
    this.#handler?.onResponseData?.(controller, chunk)
  }

  onResponseEnd(controller: Dispatcher.DispatchController, trailers: object): void {
    const handler = this.#handler
    // May throw for trailers that cannot be passed on. Then `onResponseError` is called.
    handler?.onResponseEnd?.(controller, trailers as never)
    this.#handler = undefined
    this.#readBefore = this.#socket?.bytesRead ?? 0
    this.#freeSince = performance.now()
    this.#parts.onFree(this)
  }

  onResponseError(controller: Dispatcher.DispatchController, error: Error): void {
    const handler = this.#handler
    this.#handler = undefined
    handler?.onResponseError?.(controller, error)
    this.#leave()
  }

  onRequestUpgrade(
    ...args: Parameters<NonNullable<Dispatcher.DispatchHandler['onRequestUpgrade']>>
  ) {
    const handler = this.#handler
    this.#handler = undefined
    // A socket with this listener does not flow.
    this.#socket?.off('readable', this.#onReadable)
    this.#leave()
    handler?.onRequestUpgrade?.(...args)
  }

  #connect(options: buildConnector.Options, callback: buildConnector.Callback): void {
    this.#parts.connect(options, (...[error, socket]) => {
      if (error) return void callback(error, null)
      this.#socket = socket
      this.#readBefore = 0
      socket.on('readable', this.#onReadable)
      callback(null, socket)
    })
  }

  /** Ends the connection for unrequested bytes, and for a response that is nearly all framing. */
  readonly #onReadable = (): void => {
    const socket = this.#socket
    if (!socket) return
    if (!this.#handler) {
      if (socket.bytesRead > this.#readBefore) socket.destroy()
      return
    }
    const overheadBytes = socket.bytesRead - this.#readBefore - this.#bodyBytes
    if (overheadBytes <= MAX_OVERHEAD_BYTES + MAX_OVERHEAD_PER_BYTE * this.#bodyBytes) return
    socket.destroy(new Error('The answer has far more framing than body.'))
  }

  /** undici itself sends a request that had not begun on a new connection. */
  #onDisconnect(): void {
    if (!this.#handler || this.#isSent) this.#leave()
  }

  #leave(): void {
    this.#parts.onGone(this)
    // undici may be in the middle of its own work for this connection.
    queueMicrotask(() => this.destroy())
  }
}
