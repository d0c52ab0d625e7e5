/**
 * What the gateway uses of a client's request and of the answer to it. Node's own classes have all of it, those of
 * HTTP/2 too, and so do the lighter ones of `plain-request.ts` and `plain-response.ts`.
 */
import type { IncomingHttpHeaders } from 'node:http'
import type { Socket } from 'node:net'

/** The head of a request. Where a body follows, it is Node's `IncomingMessage`, which tells it as a stream. */
export interface RequestHead {
  readonly method?: string | undefined
  /** The request target, as the client sent it. */
  readonly url?: string | undefined
  readonly httpVersion: string
  readonly httpVersionMajor: number
  /** By their names in lower case. */
  readonly headers: IncomingHttpHeaders
  /** Names and values in turn, as received. */
  readonly rawHeaders: string[]
  readonly socket: Socket
}

/** The answer to one request. It is closed when the client has got it, or is gone. */
export interface Answer {
  readonly statusCode: number
  /** The head is written, or stands ready to be written with the first bytes of the body. */
  readonly headersSent: boolean
  readonly closed: boolean
  /** Everything was given to the system, and the answer has ended. */
  readonly writableFinished: boolean
  readonly chunkedEncoding: boolean
  /** The connection goes on after it. */
  readonly shouldKeepAlive: boolean
  on(event: 'close', listener: () => void): unknown
  once(event: 'close' | 'drain', listener: () => void): unknown
  off(event: 'close', listener: () => void): unknown
  /** Throws for a name or a value that would not be one header. */
  writeHead(status: number, message: string, headers: string[]): unknown
  writeHead(status: number, headers: Record<string, string | number>): unknown
  flushHeaders(): void
  /** Absent: a plain request never waits for it. */
  writeContinue?(): void
  /** `false`: the client reads slower than this; `drain` tells when it has caught up. */
  write(chunk: Buffer): boolean
  write(chunk: Buffer | string, encoding: 'latin1'): boolean
  /** Only an answer in chunks has them. */
  addTrailers(trailers: Record<string, string>): void
  end(): unknown
  /** Breaks the connection off, of HTTP/2 the stream. */
  destroy(): unknown
}
