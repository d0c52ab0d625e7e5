/**
 * WebSockets of an agent server. A handshake goes through the server's app like any request, so that the same keys and
 * rules apply. A refused one is accepted and closed with 4000 plus the status, because browsers hide from a page why a
 * handshake failed.
 */
import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocketServer } from 'ws'
import type { AcceptSocket, ClientSocket } from '../../core/agent/server/client-socket.ts'
import type { Log } from '../../core/log.ts'
import { unwatchEnd, watchEnd } from '../../core/network/handshake.ts'
import { MAX_REASON_BYTES, PING_MS, WebSocketClient } from './client.ts'

/** The largest message that is read, in bytes. */
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024
/** How long a client may take to close, in ms. */
const GOODBYE_MS = 1_000
/** RFC 6455: the server restarts. */
const SERVICE_RESTART = 1012

/** `incoming`: the request's connection. */
type Fetch = (
  request: Request,
  env: { acceptSocket: AcceptSocket; incoming: IncomingMessage },
) => Response | Promise<Response>

export class WebSockets {
  readonly #fetch: Fetch
  readonly #log: Log
  readonly #server = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_MESSAGE_BYTES,
    perMessageDeflate: false,
  })
  readonly #clients = new Set<WebSocketClient>()
  readonly #pings: NodeJS.Timeout

  /** Serves at once. */
  constructor(options: { server: Server; fetch: Fetch; log: Log }) {
    this.#fetch = options.fetch
    this.#log = options.log
    options.server.on('upgrade', (req, socket, head) => {
      socket.on('error', () => socket.destroy())
      this.#upgrade(req, socket, head).catch((error: unknown) => {
        this.#log.error({ err: error }, 'a WebSocket could not be opened')
        socket.destroy()
      })
    })
    this.#pings = setInterval(() => {
      for (const client of this.#clients) client.ping()
    }, PING_MS)
    this.#pings.unref()
  }

  /** Asks every client to reconnect, and cuts those that do not close in time. */
  async stop(): Promise<void> {
    clearInterval(this.#pings)
    const left = [...this.#clients].map((client) => {
      client.close(SERVICE_RESTART, 'The server restarts.')
      return client.whenLeft()
    })
    const cut = setTimeout(() => {
      for (const client of this.#clients) client.cut()
    }, GOODBYE_MS)
    await Promise.all(left)
    clearTimeout(cut)
  }

  async #upgrade(req: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    let serve: ((client: ClientSocket) => void) | undefined
    const acceptSocket: AcceptSocket = (one) => {
      serve = one
    }
    const left = new AbortController()
    socket.once('close', () => left.abort())
    watchEnd(socket)
    const env = { acceptSocket, incoming: req }
    const response = await this.#fetch(requestOf(req, left.signal), env)
    const reason = await startOf(response, left.signal)
    unwatchEnd(socket)
    this.#server.handleUpgrade(req, socket, head, (ws) => {
      const client = new WebSocketClient(ws, socket)
      this.#clients.add(client)
      client.left.addEventListener('abort', () => this.#clients.delete(client))
      if (serve) serve(client)
      else client.close(4000 + response.status, reason)
    })
  }
}

function requestOf({ url = '/', headers }: IncomingMessage, signal: AbortSignal): Request {
  const path = url.replace(/^https?:\/\/[^/?#]*/i, '')
  const given = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, [value].flat().join(', ')]],
  )
  return new Request(new URL(path, 'http://localhost'), { headers: given, signal })
}

/**
 * As much of the body as a close reason can hold. Gives up the rest, which may be endless, and all of it when the
 * client leaves.
 */
async function startOf({ body }: Response, left: AbortSignal): Promise<string> {
  if (!body) return ''
  const reader = body.getReader()
  const giveUp = () => void reader.cancel().catch(() => {})
  left.addEventListener('abort', giveUp)
  if (left.aborted) giveUp()
  const decoder = new TextDecoder()
  let text = ''
  while (text.length < MAX_REASON_BYTES) {
    const { value, done } = await reader.read()
    if (done) return text
    text += decoder.decode(value, { stream: true })
  }
  giveUp()
  return text
}
