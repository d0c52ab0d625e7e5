/**
 * Answers plain requests without Node's HTTP server, which is a quarter of what a small request costs the gateway. A
 * connection that brings anything else is handed to Node's server for good, with every byte that has not been answered.
 *
 * ```
 *        ┌──────────── answered ───────────┐
 *        ▼                                 │
 *      idle ──a plain request──────▶ answering
 *       │ ▲ ╲──the begin of one──▶ begun ──╱   begun: its body has not come yet
 *       │                            │
 *       └──anything else──▶ Node's ◀─┘ after two seconds
 * ```
 * From each state it may be closed.
 */
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import { type PlainRequest, readPlainRequest } from './plain-request.ts'
import { PlainResponse } from './plain-response.ts'

/** Answers a request that is its own to answer. `false`: it is not, and nothing was done. */
export type AnswerPlain = (req: PlainRequest, res: PlainResponse) => boolean

const SWEEP_MS = 1_000
/** After so long Node waits for the rest of a request, whose limits are then those of `SETTINGS`. */
const BEGUN_MS = 2_000
/** In so many pieces a short body may come. */
const MAX_PIECES = 64
/** What a client sends before it has its answer is kept up to here; then it has to wait. */
const MAX_AHEAD_BYTES = 64 * 1024

/**
 * Takes the connections of the server, which does not speak TLS. Those that are idle are closed with Node's own, and
 * after the same time.
 */
export function answerPlainly(server: Server, answerPlain: AnswerPlain): void {
  const connections = new PlainConnections(server, answerPlain)
  const { closeAllConnections, closeIdleConnections } = server
  server.closeAllConnections = () => {
    connections.closeAll()
    closeAllConnections.call(server)
  }
  // `server.close` calls it as well.
  server.closeIdleConnections = () => {
    connections.closeIdle()
    closeIdleConnections.call(server)
  }
}

class PlainConnections {
  readonly #server: Server
  readonly #answerPlain: AnswerPlain
  readonly #all = new Set<PlainConnection>()
  readonly #connectionLines: string
  #sweep: NodeJS.Timeout | undefined

  constructor(server: Server, answerPlain: AnswerPlain) {
    this.#server = server
    this.#answerPlain = answerPlain
    const seconds = Math.floor(server.keepAliveTimeout / 1000)
    this.#connectionLines = `Connection: keep-alive\r\nKeep-Alive: timeout=${seconds}\r\n`
    // The one that Node's server has put there, which reads whatever comes.
    const listeners = server.listeners('connection')
    server.removeAllListeners('connection')
    const toNode = (socket: Socket) => {
      for (const listener of listeners) listener.call(server, socket)
    }
    server.on('connection', (socket) => this.#take(socket, toNode))
  }

  closeAll(): void {
    for (const one of [...this.#all]) one.destroy()
  }

  closeIdle(): void {
    for (const one of [...this.#all]) if (one.isIdle) one.destroy()
  }

  #take(socket: Socket, toNode: (socket: Socket) => void): void {
    const taken: PlainConnection = new PlainConnection(socket, {
      answerPlain: this.#answerPlain,
      connectionLines: this.#connectionLines,
      toNode,
      onGone: () => this.#all.delete(taken),
    })
    this.#all.add(taken)
    this.#sweep ??= setInterval(() => this.#lookForOverdue(), SWEEP_MS).unref()
  }

  #lookForOverdue(): void {
    const now = performance.now()
    const { keepAliveTimeout, headersTimeout } = this.#server
    // Node waits a second more than it says.
    const limits = { idleMs: keepAliveTimeout + 1_000, silentMs: headersTimeout }
    for (const one of [...this.#all]) {
      if (one.isSilent(now, limits.silentMs)) this.#refuse(one)
      else one.endOverdue(now, limits.idleMs)
    }
    if (this.#all.size > 0) return
    clearInterval(this.#sweep)
    this.#sweep = undefined
  }

  /** As Node refuses a connection on which nothing comes. */
  #refuse(one: PlainConnection): void {
    const socket = one.release()
    const error = Object.assign(new Error('Request timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
    socket.on('error', ignore)
    this.#server.emit('clientError', error, socket)
    // Nothing came on it, so that nobody loses his answer by this.
    socket.destroySoon()
  }
}

interface ConnectionParts {
  answerPlain: AnswerPlain
  connectionLines: string
  toNode(socket: Socket): void
  /** It is closed, or not its own any more. */
  onGone(): void
}

class PlainConnection {
  readonly #socket: Socket
  readonly #parts: ConnectionParts
  #answer: PlainResponse | undefined
  /** What came before it can be answered: the begin of a request, or what was sent ahead. */
  #held: Buffer | undefined
  #pieces = 0
  #hasAsked = false
  /** When it was taken, when its last answer ended, or when the request came that is begun. */
  #since = performance.now()

  constructor(socket: Socket, parts: ConnectionParts) {
    this.#socket = socket
    this.#parts = parts
    socket.on('data', this.#onData)
    socket.on('drain', this.#onDrain)
    socket.on('end', this.#onEnd)
    socket.on('error', ignore)
    socket.on('close', this.#onClose)
  }

  /** Between two requests. One that has not asked yet is waited for. */
  get isIdle(): boolean {
    return this.#hasAsked && !this.#answer && !this.#held
  }

  /** Whether it has sent nothing at all for so long. */
  isSilent(now: number, ms: number): boolean {
    return !this.#hasAsked && !this.#held && now - this.#since > ms
  }

  endOverdue(now: number, idleMs: number): void {
    if (this.#answer) return
    if (this.#held) {
      if (now - this.#since > BEGUN_MS) this.#handOver(this.#held)
    } else if (this.isIdle && now - this.#since > idleMs) this.destroy()
  }

  destroy(): void {
    this.#socket.destroy()
  }

  /** From now on the socket is another one's. */
  release(): Socket {
    const socket = this.#socket
    socket.off('data', this.#onData)
    socket.off('drain', this.#onDrain)
    socket.off('end', this.#onEnd)
    socket.off('error', ignore)
    socket.off('close', this.#onClose)
    this.#parts.onGone()
    return socket
  }

  readonly #onData = (bytes: Buffer): void => {
    const all = this.#held ? Buffer.concat([this.#held, bytes]) : bytes
    if (!this.#answer) return void this.#read(all)
    this.#held = all
    if (all.length > MAX_AHEAD_BYTES) this.#socket.pause()
  }

  readonly #onDrain = (): void => {
    this.#answer?.drain()
  }

  /** Whoever sends no more has left, as for Node's server. */
  readonly #onEnd = (): void => {
    if (this.#held && !this.#answer) this.destroy()
    else this.#socket.end()
  }

  readonly #onClose = (): void => {
    this.#parts.onGone()
    this.#answer?.lose()
  }

  readonly #onOver = (): void => {
    this.#answer = undefined
    this.#since = performance.now()
    if (this.#held) setImmediate(this.#readHeld)
  }

  readonly #readHeld = (): void => {
    if (this.#answer || !this.#held || this.#socket.destroyed) return
    const held = this.#held
    this.#held = undefined
    this.#pieces = 0
    if (this.#socket.isPaused()) this.#socket.resume()
    this.#read(held)
  }

  #read(bytes: Buffer): void {
    const request = readPlainRequest(bytes, this.#socket)
    if (request === undefined) this.#handOver(bytes)
    else if (request === 'short') this.#wait(bytes)
    else this.#answerPlainly(request, bytes)
  }

  #answerPlainly(request: PlainRequest, bytes: Buffer): void {
    this.#held = undefined
    this.#pieces = 0
    this.#hasAsked = true
    const { answerPlain, connectionLines } = this.#parts
    const answer = new PlainResponse(this.#socket, connectionLines, this.#onOver)
    this.#answer = answer
    if (answerPlain(request, answer)) return
    this.#answer = undefined
    this.#handOver(bytes)
  }

  #wait(bytes: Buffer): void {
    if (this.#pieces === 0) this.#since = performance.now()
    this.#pieces += 1
    this.#held = bytes
    if (this.#pieces > MAX_PIECES) this.#handOver(bytes)
  }

  #handOver(bytes: Buffer): void {
    this.#held = undefined
    const socket = this.release()
    // What is put back is only read again by one who lets a paused socket flow.
    socket.pause()
    socket.unshift(bytes)
    this.#parts.toNode(socket)
    socket.resume()
  }
}

function ignore(): void {}
