/**
 * The channel of an agent server that is no child process: the WebSockets that drivers open to it. With none, the agent
 * server goes on; there are two while one control plane takes over from another. Every driver gets every message and is
 * obeyed: a request may come twice.
 */
import { createHash, timingSafeEqual } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { AcceptSocket, ClientSocket } from '../core/agent/server/client-socket.ts'
import { GATEWAY_TOKEN_HEADER, RUNTIME_LINK_PATH } from '../core/deployment/internal-requests.ts'
import { jsonIn } from '../core/json.ts'
import { type AgentMessage, type DriverLink, isMessage, type StartMessage } from './messages.ts'

/** More connections than a takeover needs: the oldest is closed. */
const MOST_DRIVERS = 4
/** How long an agent server that is about to end waits for a driver to hear why, in ms. */
const LAST_WORDS_MS = 3_000
/** Drivers drop the connection at a longer message, and the next ones as well; in bytes. It goes to the log instead. */
const MOST_BYTES = 1024 * 1024
/** A driver that connects later gets the latest message of each of these types. */
const KEPT: readonly AgentMessage['type'][] = ['starting', 'ready', 'failed', 'load']
/** RFC 6455: a message violates this server's policy. */
const POLICY_VIOLATION = 1008

type Answer = (
  request: Request,
  env: { incoming: unknown; acceptSocket?: AcceptSocket },
) => Response | Promise<Response>

export class AgentSocket implements DriverLink {
  readonly #start: StartMessage
  readonly #drivers = new Set<ClientSocket>()
  readonly #listeners = new Set<(message: unknown) => void>()
  readonly #connected = Promise.withResolvers<void>()
  /** Sent to every driver that connects: the latest message of each kind. */
  readonly #standing = new Map<AgentMessage['type'], AgentMessage>()

  constructor(start: StartMessage) {
    this.#start = start
    this.#standing.set('hello', { type: 'hello', revision_id: start.revision_id })
  }

  async send(message: AgentMessage): Promise<void> {
    // Replies are not kept: a driver that comes back asks again.
    if (KEPT.includes(message.type)) this.#standing.set(message.type, message)
    if (message.type === 'failed')
      await Promise.race([this.#connected.promise, delay(LAST_WORDS_MS)])
    const texts = textsOf([message])
    await Promise.all([...this.#drivers].map((driver) => driver.sendAll(texts)))
  }

  onMessage(listener: (message: unknown) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Takes the drivers' WebSockets, and leaves all else to `answer`. */
  inFrontOf(answer: Answer): Answer {
    return (request, env) => {
      if (new URL(request.url).pathname !== RUNTIME_LINK_PATH) return answer(request, env)
      const refusal = this.#refuse(request)
      if (refusal) return refusal
      if (!env.acceptSocket) return new Response('This is a WebSocket.', { status: 426 })
      env.acceptSocket((driver) => this.#accept(driver))
      return new Response()
    }
  }

  /** Refuses what the gateway passes on: it adds the token, but also `x-forwarded-for`. A driver does not. */
  #refuse({ headers }: Request): Response | undefined {
    const isPassedOn = headers.has('x-forwarded-for')
    const sent = headers.get(GATEWAY_TOKEN_HEADER) ?? ''
    if (!isPassedOn && isSame(sent, this.#start.gatewayToken)) return undefined
    return new Response('This is for the runtime driver only.', { status: 403 })
  }

  #accept(driver: ClientSocket): void {
    if (this.#drivers.size >= MOST_DRIVERS) this.#dismissOldest()
    this.#drivers.add(driver)
    driver.left.addEventListener('abort', () => this.#drivers.delete(driver))
    driver.onText((text) => this.#receive(text))
    void driver.sendAll(textsOf([...this.#standing.values()]))
    this.#connected.resolve()
  }

  #dismissOldest(): void {
    const [oldest] = this.#drivers
    if (oldest) this.#drivers.delete(oldest)
    oldest?.close(POLICY_VIOLATION, 'Other drivers have connected since.')
  }

  #receive(text: string): void {
    const message = jsonIn(text)
    const { revision_id } = this.#start
    const spent = { type: 'hello', revision_id, is_draining: true } as const
    if (isMessage(message, 'drain')) this.#standing.set('hello', spent)
    for (const listener of [...this.#listeners]) listener(message)
  }
}

function textsOf(messages: readonly AgentMessage[]): string[] {
  return messages.flatMap((message) => {
    const text = JSON.stringify(message)
    if (Buffer.byteLength(text) <= MOST_BYTES) return [text]
    const what = `A message "${message.type}" of ${text.length} characters`
    console.error(`${what} is not sent to the driver.`)
    return []
  })
}

/** Takes the same time, whatever was sent. */
function isSame(sent: string, token: string): boolean {
  return timingSafeEqual(digest(sent), digest(token))
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
