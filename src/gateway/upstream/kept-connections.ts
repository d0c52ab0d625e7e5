/**
 * The connections to one server over plain HTTP/1.1, which are kept between requests. It does what the
 * gateway needs and no more, so that a request costs little: each connection has one request at a time,
 * and there are as many as there are requests.
 */
import { connect, type Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import type { Readable } from 'node:stream'
import { AppError } from '../../core/errors.ts'
import { endOfTurn } from '../../core/turn.ts'
import { isToken } from '../field-text.ts'
import { hasHeader, writeHeaderLines } from '../header-lines.ts'
import { MAX_TEXT_BYTES, ResponseReader } from './response-reader.ts'

/** A request as it is sent. */
export interface Sending {
  method: string
  path: string
  /** Names and values in turn, without those that concern the connection. */
  headers: readonly string[]
  /** A text is in latin1. */
  body: Buffer | Readable | string | undefined
}

/** What the receiver of an answer may do with it. */
export interface AnswerControl {
  readonly rawHeaders?: unknown
  /** Ends the connection. The receiver's `onResponseError` is called, unless the answer is over. */
  abort(reason: Error): void
  pause(): void
  resume(): void
}

/** Is told of one answer: the start of its request, then its parts, then its end or an error. */
export interface AnswerReceiver {
  onRequestStart(control: AnswerControl): void
  onResponseStart(control: AnswerControl, status: number, headers: unknown, message?: string): void
  onResponseData(control: AnswerControl, bytes: Buffer): void
  /** Instead of start, data and end: all of it has come, its body in latin1. */
  onWholeResponse(control: AnswerControl, status: number, message: string, body: string): void
  onResponseEnd(control: unknown, trailers: Record<string, unknown>): void
  onResponseError(control: unknown, error: Error): void
}

/** How long an idle connection is kept, in ms, where the server does not say how long it keeps it. */
const KEPT_MS = 4_000
const MOST_KEPT_MS = 600_000
/** An idle connection is given up so long before the server does, so that no request meets its end. */
const BEFORE_SERVER_MS = 2_000
const SWEEP_MS = 1_000
/** A connection that is silent for so long is probed, so that one whose server is gone is noticed. */
const PROBE_MS = 60_000

/** All sockets read into it, one after the other. What is kept of it is copied. */
const received = Buffer.allocUnsafeSlow(64 * 1024)

export class KeptConnections {
  /** What a request without a `host` header is sent to. */
  readonly #authority: string
  readonly #host: string
  readonly #port: number
  readonly #connectTimeoutMs: number
  readonly #all = new Set<Connection>()
  /** Idle ones; the last is the freshest. */
  readonly #idle: Connection[] = []
  #sweep: NodeJS.Timeout | undefined

  /** `url`: `http://HOST:PORT`. */
  constructor(url: string, connectTimeoutMs: number) {
    const { host, hostname, port } = new URL(url)
    this.#authority = host
    this.#host = hostname.replace(/^\[(.*)\]$/, '$1')
    this.#port = Number(port || 80)
    this.#connectTimeoutMs = connectTimeoutMs
  }

  /**
   * Errors go to the receiver, those of an unsendable request too: `bad_request`. `isAlone`: no other request is
   * open, so that this one waits for none.
   */
  dispatch(sending: Sending, receiver: AnswerReceiver, isAlone: boolean): void {
    const head = headOf(sending, this.#authority)
    if (head === undefined) {
      const refusal = 'The request cannot be passed on: its head has forbidden characters.'
      receiver.onResponseError(undefined, new AppError('bad_request', refusal))
      return
    }
    this.#connection().send(new Exchanged(sending, head, receiver), isAlone)
  }

  /** Closes every connection. */
  destroy(): void {
    clearInterval(this.#sweep)
    for (const one of [...this.#all]) one.destroy(new Error('The gateway closed the connection.'))
  }

  #connection(): Connection {
    const now = performance.now()
    for (let one = this.#idle.pop(); one; one = this.#idle.pop()) {
      if (one.isFresh(now)) return one
      one.destroy()
    }
    const socket = connect({
      host: this.#host,
      port: this.#port,
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: PROBE_MS,
      onread: { buffer: received, callback: (length) => made.read(length) },
    })
    // Whoever waits for an answer has a connection of his own, which keeps the process.
    socket.unref()
    const made: Connection = new Connection(socket, {
      connectTimeoutMs: this.#connectTimeoutMs,
      onIdle: () => this.#keep(made),
      onClosed: () => this.#forget(made),
    })
    this.#all.add(made)
    return made
  }

  #keep(one: Connection): void {
    this.#idle.push(one)
    this.#sweep ??= setInterval(() => this.#closeStale(), SWEEP_MS).unref()
  }

  #forget(one: Connection): void {
    this.#all.delete(one)
    const at = this.#idle.indexOf(one)
    if (at !== -1) this.#idle.splice(at, 1)
  }

  #closeStale(): void {
    const now = performance.now()
    for (const one of [...this.#idle]) if (!one.isFresh(now)) one.destroy()
    if (this.#idle.length > 0) return
    clearInterval(this.#sweep)
    this.#sweep = undefined
  }
}

interface ConnectionParts {
  connectTimeoutMs: number
  onIdle(): void
  onClosed(): void
}

/** connecting ──▶ sending ⇄ idle ──▶ closed; from each state it may be closed. */
class Connection {
  readonly #socket: Socket
  readonly #parts: ConnectionParts
  readonly #reader: ResponseReader
  #current: Exchanged | undefined
  #error: Error | undefined
  #freshUntil = 0

  constructor(socket: Socket, parts: ConnectionParts) {
    this.#socket = socket
    this.#parts = parts
    this.#reader = new ResponseReader({
      onHead: (status, message, headers) => this.#current?.start(status, message, headers),
      onData: (bytes) => this.#current?.data(bytes),
      onEnd: (trailers) => this.#current?.end(trailers),
      onWhole: (status, message, headers, body) =>
        this.#current?.whole(status, message, headers, body),
    })
    socket.on('error', (error) => {
      this.#error ??= error
    })
    socket.on('end', () => this.#attempt(() => this.#reader.end()))
    socket.once('close', () => {
      this.#parts.onClosed()
      this.#current?.fail(this.#error ?? new Error('The server closed the connection.'))
    })
  }

  isFresh(now: number): boolean {
    return this.#freshUntil > now && !this.#socket.destroyed && !this.#socket.readableEnded
  }

  send(sent: Exchanged, isAlone: boolean): void {
    this.#current = sent
    sent.connection = this
    if (!this.#socket.connecting) {
      // All requests of a turn are written together: a server that is woken once for them costs less.
      if (isAlone) this.#write(sent)
      else void endOfTurn().then(() => this.#write(sent))
      return
    }
    const tooLate = () => {
      this.destroy(new Error(`No connection within ${this.#parts.connectTimeoutMs} ms.`))
    }
    const timer = setTimeout(tooLate, this.#parts.connectTimeoutMs)
    this.#socket.once('close', () => clearTimeout(timer))
    this.#socket.once('connect', () => {
      clearTimeout(timer)
      this.#write(sent)
    })
  }

  /** What came into `received`. */
  read(length: number): boolean {
    this.#attempt(() => this.#reader.read(received, length))
    return true
  }

  pause(): void {
    this.#socket.pause()
  }

  resume(): void {
    this.#socket.resume()
  }

  destroy(error?: Error): void {
    this.#error ??= error
    this.#socket.destroy()
  }

  #write(sent: Exchanged): void {
    if (sent.isOver) return
    this.#reader.begin(sent.method)
    sent.begin()
    if (!sent.isOver) sent.writeTo(this.#socket)
  }

  /** A failure ends the connection, and with it the answer. */
  #attempt(work: () => void): void {
    try {
      work()
    } catch (error) {
      this.destroy(error as Error)
    }
    if (this.#current?.isOver) this.#release(this.#current)
  }

  #release(sent: Exchanged): void {
    this.#current = undefined
    const ms = keptMs(this.#reader.keptSeconds)
    if (!this.#reader.isReusable || !sent.isWritten || ms <= 0) return void this.destroy()
    this.#freshUntil = performance.now() + ms
    if (this.#socket.isPaused()) this.#socket.resume()
    this.#parts.onIdle()
  }
}

/** One request and its answer on a connection. After its end it touches the connection no more. */
class Exchanged implements AnswerControl {
  readonly #sending: Sending
  readonly #head: string
  readonly #receiver: AnswerReceiver
  connection: Connection | undefined
  rawHeaders: string[] = []
  isOver = false
  /** The whole request has been given to the socket. */
  isWritten = false

  constructor(sending: Sending, head: string, receiver: AnswerReceiver) {
    this.#sending = sending
    this.#head = head
    this.#receiver = receiver
  }

  get method(): string {
    return this.#sending.method
  }

  abort(reason: Error): void {
    if (this.isOver) return
    this.fail(reason)
    this.connection?.destroy(reason)
  }

  pause(): void {
    if (!this.isOver) this.connection?.pause()
  }

  resume(): void {
    if (!this.isOver) this.connection?.resume()
  }

  begin(): void {
    this.#receiver.onRequestStart(this)
  }

  start(status: number, message: string, headers: string[]): void {
    if (this.isOver) return
    this.rawHeaders = headers
    this.#receiver.onResponseStart(this, status, undefined, message)
  }

  data(bytes: Buffer): void {
    if (!this.isOver) this.#receiver.onResponseData(this, bytes)
  }

  end(trailers: Record<string, string>): void {
    if (this.isOver) return
    this.#dropBody()
    // May throw, for trailers that cannot be passed on: then it is not over, and fails with the connection.
    this.#receiver.onResponseEnd(this, trailers)
    this.isOver = true
  }

  whole(status: number, message: string, headers: string[], body: string): void {
    if (this.isOver) return
    this.rawHeaders = headers
    this.#dropBody()
    this.#receiver.onWholeResponse(this, status, message, body)
    this.isOver = true
  }

  fail(error: Error): void {
    if (this.isOver) return
    this.isOver = true
    this.#dropBody()
    this.#receiver.onResponseError(this, error)
  }

  writeTo(socket: Socket): void {
    const { body } = this.#sending
    if (isStream(body)) return void this.#stream(body, socket)
    this.isWritten = true
    if (body === undefined) return void socket.write(this.#head, 'latin1')
    if (typeof body === 'string') return void socket.write(this.#head + body, 'latin1')
    // One text, which latin1 keeps every byte of, costs less than two pieces or a buffer for both.
    if (body.length <= MAX_TEXT_BYTES) {
      return void socket.write(this.#head + body.toString('latin1'), 'latin1')
    }
    const bytes = Buffer.allocUnsafe(this.#head.length + body.length)
    bytes.write(this.#head, 'latin1')
    body.copy(bytes, this.#head.length)
    socket.write(bytes)
  }

  /** No faster than the server reads. */
  #stream(body: Readable, socket: Socket): void {
    const isChunked = !hasHeader(this.#sending.headers, 'content-length')
    socket.write(this.#head, 'latin1')
    const onDrain = () => body.resume()
    socket.on('drain', onDrain)
    const over = () => socket.off('drain', onDrain)
    body.once('close', over)
    body.on('data', (bytes: Buffer) => {
      if (this.isOver) return
      if (isChunked) socket.write(`${bytes.length.toString(16)}\r\n`, 'latin1')
      const goesOn = socket.write(bytes)
      if (isChunked) socket.write('\r\n', 'latin1')
      if (!goesOn) body.pause()
    })
    body.once('end', () => {
      if (this.isOver) return
      if (isChunked) socket.write('0\r\n\r\n', 'latin1')
      this.isWritten = true
    })
    body.once('error', (error) => this.abort(error))
  }

  /** The rest of a body is read by nobody once its request is answered. */
  #dropBody(): void {
    const { body } = this.#sending
    if (!this.isWritten && isStream(body)) body.destroy()
  }
}

function isStream(body: Sending['body']): body is Readable {
  return typeof body === 'object' && !Buffer.isBuffer(body)
}

function keptMs(seconds: number | undefined): number {
  if (seconds === undefined) return KEPT_MS
  return Math.min(seconds * 1000 - BEFORE_SERVER_MS, MOST_KEPT_MS)
}

const FORBIDDEN_IN_PATH = /[^\x21-\x7e\x80-\xff]/

/** Methods whose requests say the length of their body even where there is none. */
const WITH_BODY = new Set(['POST', 'PUT', 'PATCH', 'QUERY', 'PROPFIND', 'PROPPATCH'])

/** The head in latin1, as it is sent. `undefined`: it would not be one head. */
function headOf({ method, path, headers, body }: Sending, authority: string): string | undefined {
  if (!isToken(method) || FORBIDDEN_IN_PATH.test(path)) return undefined
  const lines = writeHeaderLines(headers)
  if (lines === undefined) return undefined
  const host = hasHeader(headers, 'host') ? '' : `host: ${authority}\r\n`
  const begin = `${method} ${path} HTTP/1.1\r\nconnection: keep-alive\r\n`
  return `${begin}${lines}${host}${lengthLine(method, headers, body)}\r\n`
}

/** What says how long the body is, where the headers do not. */
function lengthLine(method: string, headers: readonly string[], body: Sending['body']): string {
  if (body === undefined && !WITH_BODY.has(method)) return ''
  if (hasHeader(headers, 'content-length')) return ''
  if (body === undefined) return 'content-length: 0\r\n'
  return isStream(body) ? 'transfer-encoding: chunked\r\n' : `content-length: ${body.length}\r\n`
}
