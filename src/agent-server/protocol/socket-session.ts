/**
 * One WebSocket client of the protocol: its commands, in order of arrival, and its events. A client
 * that does not read costs only its socket's buffer: until it reads, the server reads neither its
 * commands nor the log.
 */
import type { Caller } from '../../core/agent/authorization.ts'
import type { ClientSocket } from '../../core/agent/server/client-socket.ts'
import { AppError, HTTP_STATUS } from '../../core/errors.ts'
import { parseJson } from '../../core/exact-json.ts'
import type { JsonValue } from '../../core/json.ts'
import type { Parts } from '../agent-server-parts.ts'
import { answered, type Command, handleCommand, parseCommand } from './command.ts'
import type { CommandContext } from './protocol-schemas.ts'
import { type Connection, SUBSCRIPTION_VERBS } from './subscription-commands.ts'
import { Subscriptions } from './subscriptions.ts'
import { type Admission, isReadFailure, READ_FAILED } from './thread-events.ts'

/** How many commands may wait before the socket is paused. */
const MAX_WAITING = 16
/** Close codes of RFC 6455: service restart, and internal error. */
const SERVICE_RESTART = 1012
const INTERNAL_ERROR = 1011

/** Serves the client until it leaves. `admission`: the caller's. */
export function serveSocket(
  parts: CommandContext['parts'] & Pick<Parts, 'metrics'>,
  caller: Caller,
  admission: Admission,
  socket: ClientSocket,
): void {
  socket.left.addEventListener('abort', parts.metrics.streamOpened(), { once: true })
  new SocketSession(parts, caller, admission, socket).start()
}

class SocketSession {
  readonly #context: CommandContext
  readonly #socket: ClientSocket
  readonly #subscriptions: Subscriptions
  readonly #connection: Connection
  readonly #waiting: string[] = []
  #isBusy = false

  constructor(
    parts: CommandContext['parts'],
    caller: Caller,
    admission: Admission,
    socket: ClientSocket,
  ) {
    this.#context = { parts, caller, thread_id: admission.thread_id }
    this.#socket = socket
    const send = (texts: readonly string[]) => socket.sendAll(texts)
    const subscriptions = new Subscriptions({ parts, admission, send, signal: socket.left })
    this.#subscriptions = subscriptions
    const sendText = (text: string) => socket.send(text)
    this.#connection = { context: this.#context, subscriptions, send: sendText }
  }

  start(): void {
    this.#socket.onText((text) => {
      this.#waiting.push(text)
      if (this.#waiting.length >= MAX_WAITING) this.#socket.pause()
      if (!this.#isBusy) void this.#work()
    })
  }

  async #work(): Promise<void> {
    this.#isBusy = true
    for (let text = this.#waiting.shift(); text !== undefined; text = this.#waiting.shift()) {
      if (this.#socket.left.aborted) return
      await this.#handle(text)
      if (this.#waiting.length === 0) this.#socket.resume()
    }
    this.#isBusy = false
  }

  async #handle(text: string): Promise<void> {
    const command = read(text)
    if (!command) return this.#refuse()
    const verb = SUBSCRIPTION_VERBS.get(command.method)
    if (!verb) return this.#answer(await handleCommand(this.#context, command))
    const before = this.#subscriptions.over
    const answer = await answered(this.#context, command, async () => {
      await verb(this.#connection, command)
      return {}
    })
    // Successful commands were already answered, before the events that they request.
    if (answer.type === 'error') await this.#answer(answer)
    const { over } = this.#subscriptions
    if (over !== before) over?.catch((error: unknown) => this.#end(error))
  }

  #answer(answer: object): Promise<void> {
    return this.#socket.send(JSON.stringify(answer))
  }

  #refuse(): Promise<void> {
    const message = 'A command is a JSON object {"id": <integer from 0 on>, "method": "<name>", …}.'
    return this.#answer({ type: 'error', id: null, error: 'invalid_argument', message })
  }

  /** Closes the socket after following has ended, if the client is still connected. */
  #end(error: unknown): void {
    if (this.#socket.left.aborted) return
    if (isReadFailure(error)) {
      const { thread_id, parts } = this.#context
      parts.log.error({ thread_id, err: error }, 'could not read the events of a thread')
      void this.#socket.send(READ_FAILED).catch(() => {})
    }
    this.#socket.close(...closing(error))
  }
}

function closing(error: unknown): [code: number, reason: string] {
  if (!(error instanceof AppError)) return [INTERNAL_ERROR, 'Internal server error.']
  const isOurs = error.code === 'unavailable' || error.code === 'internal'
  const code = isOurs ? SERVICE_RESTART : 4000 + HTTP_STATUS[error.code]
  return [code, error.message]
}

function read(text: string): Command | undefined {
  try {
    return parseCommand(parseJson(text) as JsonValue)
  } catch {
    return undefined
  }
}
