/**
 * The answer to a plain request: HTTP/1.1 on a connection that is kept, in the bytes that Node's `ServerResponse` would write.
 * Head and short pieces are gathered in one text, which is one write.
 */
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Answer } from '../client.ts'
import { isFieldValue } from '../field-text.ts'
import { hasHeader, writeHeaderLines } from '../header-lines.ts'
import { MAX_TEXT_BYTES } from '../upstream/response-reader.ts'

export class PlainResponse implements Answer {
  readonly #socket: Socket
  readonly #connectionLines: string
  readonly #onOver: () => void
  #closeListeners: (() => void)[] = []
  #drainListeners: (() => void)[] = []
  readonly shouldKeepAlive = true
  statusCode = 200
  headersSent = false
  closed = false
  writableFinished = false
  chunkedEncoding = false
  /** What is not written yet, in latin1. */
  #text = ''
  #trailers = ''
  #hasBody = true
  #isCorked = false
  #isEnded = false

  /** `connectionLines`: the headers about the connection. Calls `onOver` when the next request may be answered. */
  constructor(socket: Socket, connectionLines: string, onOver: () => void) {
    this.#socket = socket
    this.#connectionLines = connectionLines
    this.#onOver = onOver
  }

  on(_event: 'close', listener: () => void): void {
    this.#closeListeners.push(listener)
  }

  once(event: 'close' | 'drain', listener: () => void): void {
    if (event === 'close') this.#closeListeners.push(listener)
    else this.#drainListeners.push(listener)
  }

  off(_event: 'close', listener: () => void): void {
    const at = this.#closeListeners.lastIndexOf(listener)
    if (at !== -1) this.#closeListeners.splice(at, 1)
  }

  writeHead(status: number, message: string, headers: string[]): void
  writeHead(status: number, headers: Record<string, string | number>): void
  writeHead(
    status: number,
    second: string | Record<string, string | number>,
    third: string[] = [],
  ): void {
    if (this.headersSent) throw new Error('The head of the answer is written already.')
    const isNamed = typeof second === 'string'
    const message = isNamed ? second : (STATUS_CODES[status] ?? 'unknown')
    const headers = isNamed ? third : Object.entries(second).flatMap(([k, v]) => [k, `${v}`])
    this.#hasBody = status !== 204 && status !== 304
    this.#text = this.#headOf(status, message, headers)
    this.statusCode = status
    this.headersSent = true
  }

  flushHeaders(): void {
    this.#flush()
  }

  /** Gathers what is written, until `uncork`. */
  cork(): void {
    this.#isCorked = true
  }

  uncork(): void {
    this.#isCorked = false
    if (this.#isEnded) this.#finish()
    else this.#flush()
  }

  write(chunk: Buffer | string): boolean {
    if (!this.#hasBody || chunk.length === 0) return true
    if (this.chunkedEncoding) this.#text += `${chunk.length.toString(16)}\r\n`
    if (typeof chunk !== 'string' && chunk.length > MAX_TEXT_BYTES) this.#writeLong(chunk)
    else this.#text += typeof chunk === 'string' ? chunk : chunk.toString('latin1')
    if (this.chunkedEncoding) this.#text += '\r\n'
    if (!this.#isCorked) this.#flush()
    return !this.#socket.writableNeedDrain
  }

  addTrailers(trailers: Record<string, string>): void {
    const lines = writeHeaderLines(Object.entries(trailers).flat())
    if (lines === undefined) throw forbidden()
    this.#trailers = lines
  }

  end(): void {
    if (this.#isEnded) return
    this.#isEnded = true
    if (this.chunkedEncoding) this.#text += `0\r\n${this.#trailers}\r\n`
    if (!this.#isCorked) this.#finish()
  }

  destroy(): void {
    this.#socket.destroy()
  }

  /** The connection has been closed. */
  lose(): void {
    if (this.closed) return
    this.closed = true
    const listeners = this.#closeListeners
    this.#closeListeners = []
    for (const listener of listeners) listener()
  }

  /** The client has read what was written. */
  drain(): void {
    const listeners = this.#drainListeners
    this.#drainListeners = []
    for (const listener of listeners) listener()
  }

  #headOf(status: number, message: string, headers: string[]): string {
    const lines = writeHeaderLines(headers)
    if (lines === undefined || !isFieldValue(message)) throw forbidden()
    const date = hasHeader(headers, 'date') ? '' : dateLine()
    this.chunkedEncoding = this.#hasBody && !hasHeader(headers, 'content-length')
    const framing = this.chunkedEncoding ? 'Transfer-Encoding: chunked\r\n' : ''
    const begin = `HTTP/1.1 ${status} ${message}\r\n`
    return `${begin}${lines}${date}${this.#connectionLines}${framing}\r\n`
  }

  /** A connection that is being closed takes nothing more. */
  #flush(): void {
    const text = this.#text
    if (text === '' || !this.#socket.writable) return
    this.#text = ''
    this.#socket.write(text, 'latin1')
  }

  #writeLong(bytes: Buffer): void {
    this.#socket.cork()
    this.#flush()
    if (this.#socket.writable) this.#socket.write(bytes)
    this.#socket.uncork()
  }

  #finish(): void {
    this.#flush()
    if (this.#socket.writableLength === 0) this.#close()
    else if (this.#socket.writable) this.#socket.write('', () => this.#close())
  }

  #close(): void {
    if (this.closed || this.#socket.destroyed) return
    this.writableFinished = true
    this.lose()
    this.#onOver()
  }
}

function forbidden(): Error {
  return new Error('A header of the answer has forbidden characters.')
}

let dateSecond = 0
let dateText = ''

function dateLine(): string {
  const second = Math.floor(Date.now() / 1000)
  if (second === dateSecond) return dateText
  dateSecond = second
  dateText = `Date: ${new Date(second * 1000).toUTCString()}\r\n`
  return dateText
}
