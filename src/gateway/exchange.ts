/**
 * One try to have a request answered by one server: an agent server, or the leading Runyard.
 *
 * ```
 * waiting ──connected──▶ sent ──headers──▶ answering ──▶ over
 *    │                    │                    │
 *    └────── failed ──────┘                    └─ failed: the client's connection is destroyed
 *              ▼
 *          unanswered: the caller may try again, or refuse
 * ```
 */
import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import { endOfTurn } from '../core/turn.ts'
import type { Answer } from './client.ts'
import { endAnswer, type Incoming, isHttp1 } from './request-body.ts'
import { PlainResponse } from './server/plain-response.ts'
import type { Connections, Cuttable } from './upstream/connections.ts'
import type { AnswerControl, AnswerReceiver } from './upstream/kept-connections.ts'
import { MAX_TEXT_BYTES } from './upstream/response-reader.ts'
import { joinSockets, switchingProtocols } from './websocket.ts'

/** A client's request, and the response to answer it on. */
export interface ClientRequest {
  req: Incoming
  res: Answer
  /** A text is in latin1. */
  body: Buffer | Readable | string | undefined
  upgrade?: Handshake | undefined
}

/** A WebSocket handshake: the client's socket, and the bytes that the client sent after its request. */
export interface Handshake {
  socket: Socket
  head: Buffer
  /** Takes the socket from the answer. */
  detach(): void
}

/** The server that the request goes to, and in which form. */
interface Destination {
  connections: Connections
  path: string
  headers: string[]
  /** The headers for the client, from those of the server's answer. */
  answerHeaders: (raw: string[]) => string[]
  /** The connection is new, and closed after the answer. */
  reset?: boolean
  /** The name in the server's certificate. Default: that of the `host` header. */
  servername?: string
}

export type Outcome =
  /** The client has its answer, or is gone. */
  | { kind: 'over' }
  /** No part of an answer arrived. `wasSent`: the server may have acted on the request. */
  | { kind: 'unanswered'; wasSent: boolean; error: Error }

/** Passes bytes on as they come, in both directions no faster than the slower side reads. */
export class Exchange implements Dispatcher.DispatchHandler, AnswerReceiver, Cuttable {
  readonly #request: ClientRequest
  readonly #to: Destination
  readonly #outcome = Promise.withResolvers<Outcome>()
  place = -1
  #controller: AnswerControl | undefined
  #switched: { destroy(): void } | undefined
  #isStream = false
  /** The first piece of the answer's body, while it is held; a text is latin1. */
  #piece: Buffer | string | undefined
  /** Whether anything of the answer's body has come. */
  #isBegun = false
  #isHeld = false
  #isEnded = false
  #isOver = false

  constructor(request: ClientRequest, to: Destination) {
    this.#request = request
    this.#to = to
  }

  run(): Promise<Outcome> {
    const { req, res, body, upgrade } = this.#request
    const { connections, path, headers, reset, servername } = this.#to
    connections.enter(this)
    res.on('close', this.#onClientClose)
    const sending = { method: req.method ?? 'GET', path, headers, body }
    if (upgrade || reset || !connections.send(sending, this)) {
      const upgraded = upgrade ? 'websocket' : null
      const bytes = typeof body === 'string' ? Buffer.from(body, 'latin1') : body
      const options = { ...sending, body: bytes ?? null, upgrade: upgraded, reset, servername }
      connections.dispatch(options as Dispatcher.DispatchOptions, this)
    }
    return this.#outcome.promise
  }

  get isResumable(): boolean {
    return this.#isStream || this.#switched !== undefined
  }

  cut(): void {
    this.#release()
    this.#switched?.destroy()
    destroyClient(this.#request)
    this.#leave(new Error('The gateway cut the connection.'))
  }

  giveUp(reason: Error): void {
    if (this.#request.res.headersSent || this.#switched) return void this.cut()
    this.#settle({ kind: 'unanswered', wasSent: this.#controller !== undefined, error: reason })
    this.#controller?.abort(reason)
  }

  onRequestStart(controller: AnswerControl): void {
    this.#controller = controller
    if (this.#isOver) controller.abort(new Error('The client left before its request was sent.'))
  }

  onResponseStart(
    controller: AnswerControl,
    statusCode: number,
    _headers: unknown,
    statusMessage = '',
  ): void {
    if (statusCode < 200) return
    const { res } = this.#request
    const headers = this.#to.answerHeaders(rawHeaders(controller))
    this.#isStream = isEventStream(headers)
    res.writeHead(statusCode, statusMessage, headers)
    this.#hold()
  }

  onWholeResponse(
    controller: AnswerControl,
    statusCode: number,
    statusMessage: string,
    body: string,
  ): void {
    const { res } = this.#request
    res.writeHead(statusCode, statusMessage, this.#to.answerHeaders(rawHeaders(controller)))
    this.#piece = body
    this.#isBegun = true
    this.#isEnded = true
    this.#hold()
  }

  onResponseData(_controller: unknown, chunk: Buffer): void {
    if (this.#isHeld && !this.#isBegun) {
      this.#isBegun = true
      this.#piece = chunk
    } else {
      this.#writePiece()
      this.#write(chunk)
    }
  }

  onResponseEnd(_controller: unknown, trailers: Record<string, unknown>): void {
    const { req, res } = this.#request
    if (Object.keys(trailers).length > 0) res.addTrailers(trailers as Record<string, string>)
    if (this.#isHeld) this.#isEnded = true
    else endAnswer(req, res)
  }

  onResponseError(_controller: unknown, error: Error): void {
    if (this.#isOver) return
    if (this.#request.res.headersSent) this.cut()
    else this.#settle({ kind: 'unanswered', wasSent: this.#controller !== undefined, error })
  }

  onRequestUpgrade(
    controller: AnswerControl,
    _statusCode: number,
    _headers: unknown,
    socket: NodeJS.ReadWriteStream,
  ): void {
    const { res, upgrade } = this.#request
    const upstreamSocket = socket as Socket
    if (!upgrade || this.#isOver) return void upstreamSocket.destroy()
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

  /**
   * What comes of the answer in this turn of the event loop is one write, and goes together with the
   * answers to others: clients that are woken once for all of them cost less. Where there are no others, it goes as
   * soon as what has just been received is read.
   */
  #hold(): void {
    this.#isHeld = true
    const release = () => this.#release()
    const isAlone = this.#to.connections.open.length === 1
    if (!isAlone) void endOfTurn().then(release)
    else if (this.#isEnded) release()
    else process.nextTick(release)
  }

  #release(): void {
    if (!this.#isHeld) return
    this.#isHeld = false
    if (this.#isOver) return
    const { req, res } = this.#request
    const corked = corkable(this.#request)
    corked?.cork()
    if (this.#piece) this.#writePiece()
    else if (!this.#isEnded && !this.#isBegun) res.flushHeaders()
    // The end of an answer in chunks is a chunk too. Any other one has nothing to write after this.
    const { chunkedEncoding } = res
    if (!chunkedEncoding) corked?.uncork()
    if (this.#isEnded) endAnswer(req, res)
    if (chunkedEncoding) corked?.uncork()
  }

  #writePiece(): void {
    const piece = this.#piece
    this.#piece = undefined
    if (!piece) return
    // As a text, it is written in one with the head.
    const isLeft =
      typeof piece === 'string' || piece.length > MAX_TEXT_BYTES || !isHttp1(this.#request.req)
    this.#write(isLeft ? piece : piece.toString('latin1'))
  }

  #write(chunk: Buffer | string): void {
    const { res } = this.#request
    if (res.write(chunk, 'latin1')) return
    this.#controller?.pause()
    res.once('drain', () => this.#controller?.resume())
  }

  #leave(reason: Error): void {
    this.#settle({ kind: 'over' })
    this.#controller?.abort(reason)
  }

  #settle(outcome: Outcome): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#request.res.off('close', this.#onClientClose)
    this.#to.connections.leave(this)
    this.#outcome.resolve(outcome)
  }
}

/** What gathers the writes of an answer. Over HTTP/2 the connection does so itself. */
function corkable({ req, res }: ClientRequest): Pick<Socket, 'cork' | 'uncork'> | undefined {
  if (res instanceof PlainResponse) return res
  return isHttp1(req) ? req.socket : undefined
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
function rawHeaders(controller: AnswerControl): string[] {
  const raw = controller.rawHeaders as Buffer[] | string[]
  if (typeof raw[0] === 'string') return raw as string[]
  return raw.map((one) => (typeof one === 'string' ? one : one.toString('latin1')))
}

/**
 * A body without length and chunks (HTTP/1.0) ends when the connection does. Only a reset tells that
 * client that the body was cut short.
 */
function destroyClient({ req, res, upgrade }: ClientRequest): void {
  if (upgrade) upgrade.socket.destroy()
  else if (res.headersSent && req.httpVersion === '1.0') req.socket.resetAndDestroy()
  else res.destroy()
}
