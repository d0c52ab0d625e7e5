/** One WebSocket of the library `ws`, as the agent server talks to it. */
import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import type { ClientSocket } from '../core/agent/server/client-socket.ts'
import { textFrames } from './frames.ts'

/** How often clients are asked whether they are there, in ms. */
export const PING_MS = 20_000
/** How much may wait to be sent before who sends is made to wait, in bytes. */
const HIGH_WATER_BYTES = 256 * 1024
/** Of a close reason, in UTF-8 (RFC 6455, section 5.5): a control frame holds no more. */
export const MAX_REASON_BYTES = 123

export class WebSocketClient implements ClientSocket {
  readonly #ws: WebSocket
  readonly #connection: Duplex
  readonly #left = new AbortController()
  #isAlive = true

  /** `connection`: what the WebSocket writes to, without compressing it: frames of texts are written there beside its own. */
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

  /** One write to the socket takes all of them. */
  async sendAll(texts: readonly string[]): Promise<void> {
    if (texts.length === 0 || this.#ws.readyState !== this.#ws.OPEN) return
    const frames = textFrames(texts)
    if (this.#ws.bufferedAmount < HIGH_WATER_BYTES) {
      this.#connection.write(frames)
      return
    }
    // It is called back once all that was sent before is gone too, and when the client leaves.
    await new Promise<void>((resolve) => this.#connection.write(frames, () => resolve()))
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
    // Writes no half letter where there is no room for a whole one.
    const { written } = new TextEncoder().encodeInto(reason, room)
    this.#ws.close(code, room.subarray(0, written))
  }

  /** Settles when the client has left. */
  whenLeft(): Promise<void> {
    if (this.left.aborted) return Promise.resolve()
    return new Promise((resolve) =>
      this.left.addEventListener('abort', () => resolve(), { once: true }),
    )
  }

  cut(): void {
    this.#ws.terminate()
  }

  /** Cuts one that has not answered the ping before, unless it is made to wait itself. */
  ping(): void {
    if (this.#isAlive || this.#ws.isPaused) {
      this.#isAlive = false
      this.#ws.ping()
    } else {
      this.cut()
    }
  }
}
