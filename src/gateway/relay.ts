/**
 * Passes whole requests on to the Runyard that leads. They are checked there as if they had come to it
 * at once; each has a connection of its own, so that none meets one that is just being closed.
 */
import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import https from 'node:https'
import type { Socket } from 'node:net'
import { pipeline } from 'node:stream'
import { AppError } from '../core/errors.ts'
import { answeredHeaders, RELAYED_HEADER, relayedHeaders } from './headers.ts'
import { refuse } from './refusal.ts'
import { joinSockets, switchingProtocols } from './websocket.ts'

/** How long a connection to the leader may take, in ms. */
const CONNECT_MS = 3000

export interface RelayedRequest {
  req: IncomingMessage
  res: ServerResponse
  /** A WebSocket handshake: the client's socket, and what it has sent after its request. */
  upgrade?: { socket: Socket; head: Buffer } | undefined
}

/** Whether another one has passed it on already: it goes no further. */
export function isRelayed(req: IncomingMessage): boolean {
  return req.headers[RELAYED_HEADER] !== undefined
}

export class Relay {
  /** Ends each request that is under way. */
  readonly #cuts = new Set<() => void>()
  #leader = ''

  /**
   * Settles with `true` when the leader has the request, whose answer then goes to the client; with
   * `false` when there was no connection: nothing of the request has been read.
   */
  pass(request: RelayedRequest, leader: string): Promise<boolean> {
    if (leader !== this.#leader) this.cut()
    this.#leader = leader
    const out = requestTo(leader, request)
    const cut = () => void out.destroy(new Error('Another one leads now.'))
    this.#cuts.add(cut)
    out.once('close', () => this.#cuts.delete(cut))
    request.res.once('close', () => {
      if (!request.res.writableFinished && !request.upgrade) out.destroy()
    })
    out.once('response', (answer) => passAnswer(request, answer))
    out.once('upgrade', (answer, socket, rest) => {
      joinAnswer(request, { answer, socket: socket as Socket, rest })
    })
    return whenSent(request, out)
  }

  /** Of a leader that leads no more: one that was paused would never answer. */
  cut(): void {
    for (const cut of this.#cuts) cut()
  }
}

function requestTo(leader: string, { req, upgrade }: RelayedRequest): http.ClientRequest {
  const to = new URL(leader)
  const { request } = to.protocol === 'https:' ? https : http
  return request({
    host: to.hostname.replace(/^\[|\]$/g, ''),
    port: to.port,
    method: req.method,
    path: `${to.pathname.replace(/\/$/, '')}${req.url}`,
    headers: relayedHeaders(req, upgrade !== undefined),
    servername: to.hostname,
    agent: false,
  })
}

function whenSent(request: RelayedRequest, out: http.ClientRequest): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  let isSent = false
  const timer = setTimeout(() => out.destroy(new Error('It does not answer.')), CONNECT_MS)
  out.once('socket', (socket: Socket) => {
    socket.once('encrypted' in socket ? 'secureConnect' : 'connect', () => {
      clearTimeout(timer)
      isSent = true
      resolve(true)
      send(request, out)
    })
  })
  out.on('error', () => {
    clearTimeout(timer)
    if (isSent) breakOff(request)
    resolve(false)
  })
  return promise
}

function passAnswer({ res }: RelayedRequest, answer: IncomingMessage): void {
  res.writeHead(answer.statusCode ?? 502, answer.statusMessage, answeredHeaders(answer))
  res.flushHeaders()
  pipeline(answer, res, () => {})
}

function joinAnswer(
  { res, upgrade }: RelayedRequest,
  { answer, socket, rest }: { answer: IncomingMessage; socket: Socket; rest: Buffer },
): void {
  if (!upgrade || upgrade.socket.destroyed) return void socket.destroy()
  res.detachSocket(upgrade.socket)
  upgrade.socket.write(switchingProtocols(answeredHeaders(answer)), 'latin1')
  if (rest.length > 0) upgrade.socket.write(rest)
  joinSockets(upgrade.socket, socket, upgrade.head, () => {})
}

function send({ req, res, upgrade }: RelayedRequest, out: http.ClientRequest): void {
  if (upgrade) return void out.end()
  if (req.headers.expect !== undefined) res.writeContinue()
  // Not as one pipeline: a leader that refuses the body must not cost the client its answer.
  req.on('error', () => {})
  req.pipe(out)
}

/** A clean end would pass for the end of a stream. */
function breakOff({ req, res, upgrade }: RelayedRequest): void {
  if (upgrade) return void upgrade.socket.destroy()
  if (res.headersSent) return void res.destroy()
  if (res.closed) return
  const detail = 'The control plane that leads broke off before it answered.'
  refuse(req, res, new AppError('unavailable', detail), {})
}
