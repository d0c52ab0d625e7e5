/**
 * The channel of an agent server that is no child: the WebSockets that drivers open to it. There may be
 * none, and the agent server goes on; or two, while one control plane takes over from another. All are
 * told everything and are obeyed: what a driver asks for may be asked twice.
 */
import { createHash, timingSafeEqual } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { AcceptSocket, ClientSocket } from '../core/agent/server/client-socket.ts'
import {
  type AgentMessage,
  GATEWAY_TOKEN_HEADER,
  isDrainMessage,
  RUNTIME_LINK_PATH,
  type StartMessage,
} from '../core/deployment/runtime-protocol.ts'
import type { DriverLink } from './driver-link.ts'

/** More are not drivers that take over from each other: the oldest has to leave. */
const MOST_DRIVERS = 4
/** How long an agent server that is about to end waits for someone to hear why, in ms. */
const LAST_WORDS_MS = 3_000
/** A longer message than drivers take would cut their connections, and the next ones as well; in bytes. */
const MOST_BYTES = 1024 * 1024
/** How much of a message is files, in characters: no character of a path takes more than six bytes of JSON. */
const FILES_LENGTH = 128 * 1024
/** A driver that connects later gets the latest message of each of these types. */
const KEPT: readonly AgentMessage['type'][] = ['starting', 'ready', 'failed', 'load']
/** RFC 6455: this server has something against it. */
const POLICY_VIOLATION = 1008

type Answer = (
  request: Request,
  env: { incoming: unknown; acceptSocket?: AcceptSocket },
) => Response | Promise<Response>

export class SocketLink implements DriverLink {
  readonly #start: StartMessage
  readonly #drivers = new Set<ClientSocket>()
  readonly #listeners = new Set<(message: unknown) => void>()
  readonly #connected = Promise.withResolvers<void>()
  /** What every driver is told when it comes: the latest of each kind, and all sources. */
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

  /** The gateway adds the token to what it passes on, and where that came from. A driver does not. */
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
    const message = parse(text)
    if (isDrainMessage(message)) this.#noteDrain()
    for (const listener of [...this.#listeners]) listener(message)
  }

  #noteDrain(): void {
    const { revision_id } = this.#start
    this.#standing.set('hello', { type: 'hello', revision_id, is_draining: true })
  }

  /** Answers are for those who ask, who ask again when they come back. */
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

/** As often as it takes for many files. What is too long otherwise is told to the log instead. */
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

/** What is no JSON is nothing that anybody understands. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** In the same time, whatever was sent. */
function isSame(sent: string, token: string): boolean {
  return timingSafeEqual(digest(sent), digest(token))
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
