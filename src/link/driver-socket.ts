/** A WebSocket to an agent server that is no child of ours; it is opened again whenever it breaks. */
import { EventEmitter } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { GATEWAY_TOKEN_HEADER, RUNTIME_LINK_PATH } from '../core/deployment/internal-requests.ts'
import { jsonIn } from '../core/json.ts'
import type { AgentLink, DriverMessage } from './messages.ts'

interface DriverSocketOptions {
  /** `http://HOST:PORT`; it may become known later. */
  url: string | Promise<string>
  /** The gateway's for this agent server. */
  token: string
  /** Called once when the agent server does not know the token: it is another one than meant. */
  onRefused?(): void
  /** Called when there is a connection, and when there is none any more. */
  onConnection?(): void
}

/** Wait before a retry, in ms: after a first failure, doubled up to the longest one. */
const RETRY_MS = 50
const LONGEST_RETRY_MS = 1_000
/** How long a handshake may take, in ms. */
const HANDSHAKE_MS = 5_000
/** How often the other side is pinged, in ms: after two pings without an answer it counts as gone. */
const PING_MS = 10_000
/** The longest message, in bytes: a large project has some thousand files. */
const MAX_MESSAGE_BYTES = 4 * 1024 * 1024
/** 4000 and the HTTP status, as the server closes a handshake that it refuses. */
const REFUSALS = [4401, 4403]

export class DriverSocket implements AgentLink {
  readonly #options: DriverSocketOptions
  readonly #events = new EventEmitter<{ message: [unknown] }>().setMaxListeners(0)
  readonly #closing = new AbortController()
  #socket: WebSocket | undefined

  constructor(options: DriverSocketOptions) {
    this.#options = options
  }

  /** Connects at once, and again and again until `stop`. */
  start(): void {
    void this.#keepConnected()
  }

  send(message: DriverMessage): void {
    if (this.isOpen) this.#socket?.send(JSON.stringify(message))
  }

  onMessage(listener: (message: unknown) => void): () => void {
    this.#events.on('message', listener)
    return () => this.#events.off('message', listener)
  }

  /** Whether there is a connection, as far as is known: a dead one is cut within 20 s. */
  get isOpen(): boolean {
    return this.#socket?.readyState === WebSocket.OPEN
  }

  /** The agent server goes on by itself. */
  stop(): void {
    this.#closing.abort()
    this.#socket?.terminate()
  }

  async #keepConnected(): Promise<void> {
    const { signal } = this.#closing
    await this.#options.url
    for (let retryMs = RETRY_MS; !signal.aborted; ) {
      const { hasOpened, code } = await this.#connectOnce(await this.#options.url)
      if (REFUSALS.includes(code)) {
        if (!signal.aborted) this.#options.onRefused?.()
        return
      }
      retryMs = hasOpened ? RETRY_MS : Math.min(retryMs * 2, LONGEST_RETRY_MS)
      await delay(retryMs, undefined, { signal }).catch(() => {})
    }
  }

  /** Resolves when the connection is over, with its close code, and whether there was one. */
  #connectOnce(url: string): Promise<{ hasOpened: boolean; code: number }> {
    const { token } = this.#options
    const socket = new WebSocket(`${url.replace(/^http/, 'ws')}${RUNTIME_LINK_PATH}`, {
      headers: { [GATEWAY_TOKEN_HEADER]: token },
      handshakeTimeout: HANDSHAKE_MS,
      maxPayload: MAX_MESSAGE_BYTES,
      perMessageDeflate: false,
      followRedirects: false,
    })
    this.#socket = socket
    const stopPinging = keepAlive(socket)
    return new Promise((resolve) => {
      let hasOpened = false
      socket.on('open', () => {
        hasOpened = true
        this.#options.onConnection?.()
      })
      socket.on('message', (data) => this.#events.emit('message', jsonIn(String(data))))
      // `close` comes after it.
      socket.on('error', () => {})
      socket.on('close', (code) => {
        stopPinging()
        if (hasOpened) this.#options.onConnection?.()
        resolve({ hasOpened, code })
      })
    })
  }
}

/** Cuts a connection whose other side no longer answers. Returns how to stop looking. */
function keepAlive(socket: WebSocket): () => void {
  let isAlive = true
  socket.on('pong', () => {
    isAlive = true
  })
  const timer = setInterval(() => {
    if (socket.readyState !== WebSocket.OPEN) return
    if (!isAlive) return socket.terminate()
    isAlive = false
    socket.ping()
  }, PING_MS).unref()
  return () => clearInterval(timer)
}
