/**
 * One try to have a request answered by one upstream.
 *
 * ```
 * waiting ──connected──▶ sent ──headers──▶ answering ──▶ over
 *    │                    │                    │
 *    └────── failed ──────┘                    └─ failed: the client's connection is destroyed
 *              ▼
 *          unanswered: the caller may try again, or refuse
 * ```
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import { answerHeaders, requestHeaders } from './headers.ts'
import { endAnswer } from './request-body.ts'
import type { AgentRoute } from './route.ts'
import type { Cuttable, Upstream } from './upstream.ts'
import { joinSockets, switchingProtocols } from './websocket.ts'

/** A request that was let in, with what is needed to answer it. */
export interface Passage {
  route: AgentRoute
  req: IncomingMessage
  res: ServerResponse
  body: Readable | undefined
  /** The `user_id` that belongs to the key. Absent: no key was checked. */
  caller?: string | undefined
  /** No key was checked, so only a project with its own auth may answer. */
  isUnchecked?: boolean
  /** A WebSocket handshake: the client's socket, and the bytes that the client sent after its request. */
  upgrade?: { socket: Socket; head: Buffer }
}

export type Outcome =
  /** The client has its answer, or is gone. */
  | { kind: 'over' }
  /** No part of an answer arrived. `wasSent`: the upstream may have acted on the request. */
  | { kind: 'unanswered'; wasSent: boolean; error: Error }

/** Passes bytes on as they come, in both directions no faster than the slower side reads. */
export class Exchange implements Dispatcher.DispatchHandler, Cuttable {
  readonly #passage: Passage
  readonly #upstream: Upstream
  readonly #outcome = Promise.withResolvers<Outcome>()
  #controller: Dispatcher.DispatchController | undefined
  #switched: { destroy(): void } | undefined
  #isStream = false
  #isFlushed = false
  #isOver = false

  constructor(passage: Passage, upstream: Upstream) {
    this.#passage = passage
    this.#upstream = upstream
  }

  run(): Promise<Outcome> {
    const { req, res, route, body, upgrade, caller } = this.#passage
    const { token } = this.#upstream.endpoint
    this.#upstream.enter(this)
    res.once('close', this.#onClientClose)
    const options: Dispatcher.DispatchOptions = {
      path: route.path,
      method: req.method ?? 'GET',
      headers: requestHeaders(req, { prefix: route.prefix, token, caller }),
      body: body ?? null,
      upgrade: upgrade ? 'websocket' : null,
    }
    this.#upstream.dispatch(options, this)
    return this.#outcome.promise
  }

  get isResumable(): boolean {
    return this.#isStream || this.#switched !== undefined
  }

  /** Destroys the client's connection, since a clean end would look like the end of the stream. */
  cut(): void {
    this.#switched?.destroy()
    destroyClient(this.#passage)
    this.#leave(new Error('The gateway cut the connection.'))
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#isOver) controller.abort(new Error('The client left before its request was sent.'))
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    statusCode: number,
    _headers: unknown,
    statusMessage = '',
  ): void {
    if (statusCode < 200) return
    const { res } = this.#passage
    const headers = answerHeaders(rawHeaders(controller), this.#upstream.target.revision_id)
    this.#isStream = isEventStream(headers)
    res.writeHead(statusCode, statusMessage, headers)
    // Data of the same packet is handled before this runs, and sends the headers along with it.
    queueMicrotask(() => this.#flushHeaders())
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const { res } = this.#passage
    this.#isFlushed = true
    if (res.write(chunk)) return
    controller.pause()
    res.once('drain', () => controller.resume())
  }

  onResponseEnd(_controller: unknown, trailers: Record<string, unknown>): void {
    const { req, res } = this.#passage
    this.#isFlushed = true
    if (Object.keys(trailers).length > 0) res.addTrailers(trailers as Record<string, string>)
    endAnswer(req, res)
  }

  onResponseError(_controller: unknown, error: Error): void {
    if (this.#isOver) return
    if (this.#passage.res.headersSent) this.cut()
    else this.#settle({ kind: 'unanswered', wasSent: this.#controller !== undefined, error })
  }

  onRequestUpgrade(
    controller: Dispatcher.DispatchController,
    _statusCode: number,
    _headers: unknown,
    socket: NodeJS.ReadWriteStream,
  ): void {
    const { res, upgrade } = this.#passage
    const upstreamSocket = socket as Socket
    if (!upgrade || this.#isOver) return void upstreamSocket.destroy()
    res.off('close', this.#onClientClose)
    res.detachSocket(upgrade.socket)
    const headers = answerHeaders(rawHeaders(controller), this.#upstream.target.revision_id)
    upgrade.socket.write(switchingProtocols(headers), 'latin1')
    this.#switched = upstreamSocket
    joinSockets(upgrade.socket, upstreamSocket, upgrade.head, () => this.#settle({ kind: 'over' }))
  }

  readonly #onClientClose = (): void => {
    if (this.#passage.res.writableFinished) this.#settle({ kind: 'over' })
    else this.#leave(new Error('The client left before the end of its answer.'))
  }

  #flushHeaders(): void {
    if (this.#isFlushed || this.#isOver) return
    this.#passage.res.flushHeaders()
  }

  #leave(reason: Error): void {
    this.#settle({ kind: 'over' })
    this.#controller?.abort(reason)
  }

  #settle(outcome: Outcome): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#passage.res.off('close', this.#onClientClose)
    this.#upstream.leave(this)
    this.#outcome.resolve(outcome)
  }
}

function isEventStream(headers: string[]): boolean {
  const at = headers.findIndex((one, i) => i % 2 === 0 && one.toLowerCase() === 'content-type')
  return at !== -1 && (headers[at + 1] ?? '').startsWith('text/event-stream')
}

/** The headers as received: latin1 keeps every byte. */
function rawHeaders(controller: Dispatcher.DispatchController): string[] {
  return (controller.rawHeaders as Buffer[]).map((one) => one.toString('latin1'))
}

/**
 * A body without length and chunks (HTTP/1.0) ends when the connection does. Only a reset tells that
 * client that the body was cut short.
 */
function destroyClient({ req, res, upgrade }: Passage): void {
  if (upgrade) upgrade.socket.destroy()
  else if (res.headersSent && req.httpVersion === '1.0') req.socket.resetAndDestroy()
  else res.destroy()
}
