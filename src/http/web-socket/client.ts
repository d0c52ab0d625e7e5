/** One WebSocket of the library `ws`, as the agent server uses it. */
import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import type { ClientSocket } from '../../core/agent/server/client-socket.ts'

/** How often clients are pinged, in ms. */
export const PING_MS = 20_000
/** How many unsent bytes may wait before `send` makes its caller wait. */
const HIGH_WATER_BYTES = 256 * 1024
/** A close reason's limit in UTF-8 (RFC 6455, section 5.5): a control frame holds no more. */
export const MAX_REASON_BYTES = 123

export class WebSocketClient implements ClientSocket {
  readonly #ws: WebSocket
  readonly #connection: Duplex
  readonly #left = new AbortController()
  #isAlive = true

  /** `connection`: the WebSocket writes to it. */
  constructor(ws: WebSocket, connection: Duplex) {
    this.#ws = ws
    this.#connection = connection
    ws.on('pong', () => {
      this.#isAlive = true
    })
    // `close` comes after it.
    ws.on('error', () => {})
    ws.on('close', () => this.#left.abort())
  }

  get left(): AbortSignal {
    return this.#left.signal
  }

  send(text: string): Promise<void> {
    return this.sendAll([text])
  }

  /** Sends all of them in one write to the socket. */
  async sendAll(texts: readonly string[]): Promise<void> {
    if (texts.length === 0 || this.#ws.readyState !== this.#ws.OPEN) return
    const mayWait = this.#ws.bufferedAmount >= HIGH_WATER_BYTES
    const last = texts.length - 1
    const sent = Promise.withResolvers<void>()
    this.#connection.cork()
    for (const [i, text] of texts.entries())
      this.#ws.send(text, i === last ? () => sent.resolve() : undefined)
    this.#connection.uncork()
    // The callback runs after all earlier data is sent too, and when the client leaves.
    if (mayWait) await sent.promise
  }

  onText(callback: (text: string) => void): void {
    this.#ws.on('message', (data) => callback(String(data)))
  }

  pause(): void {
    this.#ws.pause()
  }

  resume(): void {
    this.#ws.resume()
  }

  close(code: number, reason: string): void {
    const room = Buffer.alloc(MAX_REASON_BYTES)
    // Never writes half a character at the end.
    const { written } = new TextEncoder().encodeInto(reason, room)
    this.#ws.close(code, room.subarray(0, written))
  }

  /** Resolves when the client has left. */
  whenLeft(): Promise<void> {
    if (this.left.aborted) return Promise.resolve()
    return new Promise((resolve) =>
      this.left.addEventListener('abort', () => resolve(), { once: true }),
    )
  }

  cut(): void {
    this.#ws.terminate()
  }

  /** Cuts a client that has not answered the last ping, unless it is paused here. */
  ping(): void {
    if (this.#isAlive || this.#ws.isPaused) {
      this.#isAlive = false
      this.#ws.ping()
    } else {
      this.cut()
    }
  }
}
