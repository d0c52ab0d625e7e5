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
/** Drivers drop the connection at a longer message, and the next ones as well; in bytes. */
const MOST_BYTES = 1024 * 1024
/** How much of a message is files, in characters: no character of a path takes more than six bytes of JSON. */
const FILES_LENGTH = 128 * 1024
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
  /** Sent to every driver that connects: the latest message of each kind, and all sources. */
  readonly #standing = new Map<AgentMessage['type'], AgentMessage>()

  constructor(start: StartMessage) {
    this.#start = start
    this.#standing.set('hello', { type: 'hello', revision_id: start.revision_id })
  }

  async send(message: AgentMessage): Promise<void> {
    this.#keep(message)
    if (message.type === 'failed') await this.#waitForDriver()
    const texts = textsOf(message)
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
    void driver.sendAll([...this.#standing.values()].flatMap(textsOf))
    this.#connected.resolve()
  }

  #dismissOldest(): void {
    const [oldest] = this.#drivers
    if (oldest) this.#drivers.delete(oldest)
    oldest?.close(POLICY_VIOLATION, 'Other drivers have connected since.')
  }

  #receive(text: string): void {
    const message = jsonIn(text)
    if (isMessage(message, 'drain')) this.#noteDrain()
    for (const listener of [...this.#listeners]) listener(message)
  }

  #noteDrain(): void {
    const { revision_id } = this.#start
    this.#standing.set('hello', { type: 'hello', revision_id, is_draining: true })
  }

  /** Replies are not kept: a driver that comes back asks again. */
  #keep(message: AgentMessage): void {
    const { type } = message
    if (KEPT.includes(type)) this.#standing.set(type, message)
    if (type !== 'sources') return
    const before = this.#standing.get(type)
    const files = before?.type === 'sources' ? before.files : []
    this.#standing.set(type, { type, files: [...files, ...message.files] })
  }

  #waitForDriver(): Promise<void> {
    return Promise.race([this.#connected.promise, delay(LAST_WORDS_MS)])
  }
}

/** Splits many files into several messages. Other messages that are too long go to the log instead. */
function textsOf(message: AgentMessage): string[] {
  const parts = message.type === 'sources' ? inParts(message) : [message]
  return parts.flatMap((part) => {
    const text = JSON.stringify(part)
    if (Buffer.byteLength(text) <= MOST_BYTES) return [text]
    console.error(
      `A message "${part.type}" of ${text.length} characters is not sent to the driver.`,
    )
    return []
  })
}

function inParts({ type, files }: Extract<AgentMessage, { type: 'sources' }>): AgentMessage[] {
  const parts: string[][] = [[]]
  let length = 0
  for (const file of files) {
    length += file.length
    if (length > FILES_LENGTH) {
      parts.push([])
      length = file.length
    }
    parts.at(-1)?.push(file)
  }
  return parts.map((part) => ({ type, files: part }))
}

/** Takes the same time, whatever was sent. */
function isSame(sent: string, token: string): boolean {
  return timingSafeEqual(digest(sent), digest(token))
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
