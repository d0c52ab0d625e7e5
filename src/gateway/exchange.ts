/**
 * One attempt to get a request answered by one server: an agent server, or the leading Runyard.
 *
 * ```
 * waiting ──connected──▶ sent ──headers──▶ answering ──▶ over
 *    │                    │                    │
 *    └────── failed ──────┘                    ├─ failed: the client's connection is destroyed
 *              ▼                               ▼
 *          unanswered                        broken: the response is about a run, and another exchange can continue it
 *          the caller may try again, or refuse
 * ```
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import { valuesOf } from './headers.ts'
import { endAnswer } from './request-body.ts'
import { type Head, isContinuation, type RunAnswer } from './run-answer.ts'
import type { Connections, Cuttable } from './upstream/connections.ts'
import { joinSockets, switchingProtocols } from './websocket.ts'

/** A client's request and its response. */
export interface ClientRequest {
  req: IncomingMessage
  res: ServerResponse
  body: Buffer | Readable | undefined
  upgrade?: Handshake | undefined
}

/** A WebSocket handshake: the client's socket, and the bytes that the client sent after its request. */
export interface Handshake {
  socket: Socket
  head: Buffer
  /** Takes the socket from the response. */
  detach(): void
}

/** The server for the request, and the request's form. */
interface Destination {
  connections: Connections
  path: string
  /** Describes a response that another exchange can continue. Absent: none can be. */
  answerAfter?: (head: Head) => RunAnswer | undefined
  /** The client has part of this response: a read of its run, without a body, continues it. */
  goesOnWith?: RunAnswer | undefined
  headers: string[]
  /** The headers for the client, from those of the server's response. */
  answerHeaders: (raw: string[]) => string[]
  /** The connection is new, and closed after the response. */
  reset?: boolean
  /** The name in the server's certificate. Default: that of the `host` header. */
  servername?: string
}

export type Outcome =
  /** The client has its response, or has left. */
  | { kind: 'over' }
  /** No part of a response arrived. `wasSent`: the server may have acted on the request. */
  | { kind: 'unanswered'; wasSent: boolean; error: Error }
  /** The response broke off. A read of its run may continue it. */
  | { kind: 'broken'; answer: RunAnswer; error: Error }

/** Passes bytes on as they arrive, in both directions at the speed of the slower side. */
export class Exchange implements Dispatcher.DispatchHandler, Cuttable {
  readonly #request: ClientRequest
  readonly #to: Destination
  readonly #outcome = Promise.withResolvers<Outcome>()
  place = -1
  #controller: Dispatcher.DispatchController | undefined
  #switched: { destroy(): void } | undefined
  #isStream = false
  /** The state of a response about a run. */
  #answer: RunAnswer | undefined
  /** `answering`: the head of the server's response has arrived. `flushed`: the client has it, or it is on its way. */
  #state: 'waiting' | 'answering' | 'flushed' | 'over' = 'waiting'

  constructor(request: ClientRequest, to: Destination) {
    this.#request = request
    this.#to = to
    this.#answer = to.goesOnWith
  }

  run(): Promise<Outcome> {
    const { req, res, body, upgrade } = this.#request
    const { connections, answerHeaders: _, answerAfter: __, goesOnWith, ...to } = this.#to
    connections.enter(this)
    res.on('close', this.#onClientClose)
    const { method = 'GET' } = req
    const asked = goesOnWith ? { method: 'GET', body: null } : { method, body: body ?? null }
    const upgraded = upgrade ? 'websocket' : null
    connections.dispatch({ ...to, ...asked, upgrade: upgraded }, this)
    return this.#outcome.promise
  }

  get isResumable(): boolean {
    return this.#isStream || this.#switched !== undefined
  }

  cut(): void {
    this.#switched?.destroy()
    destroyClient(this.#request)
    this.#leave(new Error('The gateway cut the connection.'))
  }

  moveOn(): void {
    const answer = this.#answer
    // Its agent server is alive, and would think that the client left.
    if (this.#state === 'waiting' || !answer || answer.about.isCancelledOnLeave)
      return void this.cut()
    const error = new Error('Its agent server is to end.')
    this.#settle({ kind: 'broken', answer, error })
    this.#controller?.abort(error)
  }

  giveUp(reason: Error): void {
    if (this.#request.res.headersSent || this.#switched) return void this.cut()
    this.#settle({ kind: 'unanswered', wasSent: this.#controller !== undefined, error: reason })
    this.#controller?.abort(reason)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#state === 'over')
      controller.abort(new Error('The client left before its request was sent.'))
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    statusCode: number,
    _headers: unknown,
    statusMessage = '',
  ): void {
    if (statusCode < 200 || this.#state === 'over') return
    const { res } = this.#request
    const received = rawHeaders(controller)
    refuseOtherCodings(received)
    const headers = this.#to.answerHeaders(received)
    this.#isStream = isEventStream(headers)
    const head = { status: statusCode, headers: received }
    if (this.#to.goesOnWith) return void this.#goOn(head)
    this.#answer = this.#to.answerAfter?.(head)
    res.writeHead(statusCode, statusMessage, headers)
    this.#state = 'answering'
    // Data of the same packet is handled before this runs, and sends the headers along with it.
    queueMicrotask(() => this.#flush() && res.flushHeaders())
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const { res } = this.#request
    const bytes = this.#answer ? this.#answer.take(chunk) : chunk
    if (bytes.length === 0) return
    this.#flush()
    if (res.write(bytes)) return
    controller.pause()
    res.once('drain', () => controller.resume())
  }

  onResponseEnd(_controller: unknown, trailers: Record<string, unknown>): void {
    const { req, res } = this.#request
    this.#flush()
    const rest = this.#answer?.end()
    if (rest?.length) res.write(rest)
    if (Object.keys(trailers).length > 0) res.addTrailers(trailers as Record<string, string>)
    endAnswer(req, res)
  }

  onResponseError(_controller: unknown, error: Error): void {
    if (this.#state === 'over') return
    const wasSent = this.#controller !== undefined
    if (this.#state === 'waiting') this.#settle({ kind: 'unanswered', wasSent, error })
    else if (this.#answer) this.#settle({ kind: 'broken', answer: this.#answer, error })
    else this.cut()
  }

  onRequestUpgrade(
    controller: Dispatcher.DispatchController,
    _statusCode: number,
    _headers: unknown,
    socket: NodeJS.ReadWriteStream,
  ): void {
    const { res, upgrade } = this.#request
    const upstreamSocket = socket as Socket
    if (!upgrade || this.#state === 'over') return void upstreamSocket.destroy()
    res.off('close', this.#onClientClose)
    upgrade.detach()
    const headers = this.#to.answerHeaders(rawHeaders(controller))
    upgrade.socket.write(switchingProtocols(headers), 'latin1')
    this.#switched = upstreamSocket
    joinSockets(upgrade.socket, upstreamSocket, upgrade.head, () => this.#settle({ kind: 'over' }))
  }

  readonly #onClientClose = (): void => {
    if (this.#request.res.writableFinished) this.#settle({ kind: 'over' })
    else this.#leave(new Error('The client left before the end of its answer.'))
  }

  /** Throws if another attempt may succeed. */
  #goOn(head: Head): void {
    const { status } = head
    if (status >= 500 || status === 429) throw new Error(`The agent server answers ${status}.`)
    this.#state = 'answering'
    if (!this.#answer || !isContinuation(this.#answer, head)) this.cut()
  }

  /** Notes that the head of the response goes out now. `false`: it has already, or no longer can. */
  #flush(): boolean {
    if (this.#state !== 'answering') return false
    this.#state = 'flushed'
    return true
  }

  #leave(reason: Error): void {
    this.#settle({ kind: 'over' })
    this.#controller?.abort(reason)
  }

  #settle(outcome: Outcome): void {
    if (this.#state === 'over') return
    this.#state = 'over'
    this.#request.res.off('close', this.#onClientClose)
    this.#to.connections.leave(this)
    this.#outcome.resolve(outcome)
  }
}

function isEventStream(headers: string[]): boolean {
  for (let i = 0; i < headers.length; i += 2) {
    const name = headers[i] ?? ''
    if (name.length !== 12 || name.toLowerCase() !== 'content-type') continue
    return (headers[i + 1] ?? '').startsWith('text/event-stream')
  }
  return false
}

/** The headers as received: latin1 keeps every byte. */
function rawHeaders(controller: Dispatcher.DispatchController): string[] {
  return (controller.rawHeaders as Buffer[]).map((one) => one.toString('latin1'))
}

/**
 * Throws for any transfer coding other than one `chunked`. The gateway drops the header, so the client could not decode
 * the body.
 */
function refuseOtherCodings(headers: string[]): void {
  const codings = valuesOf('transfer-encoding', headers)
  if (codings.length === 0) return
  if (codings.length === 1 && codings[0]?.toLowerCase() === 'chunked') return
  throw new Error('The answer has a transfer coding other than chunked.')
}

/**
 * A body without length and chunks (HTTP/1.0) ends with the connection. Only a reset shows that client that the body
 * was cut short.
 */
export function destroyClient({ req, res, upgrade }: Omit<ClientRequest, 'body'>): void {
  if (upgrade) upgrade.socket.destroy()
  else if (res.headersSent && req.httpVersion === '1.0') req.socket.resetAndDestroy()
  else res.destroy()
}
