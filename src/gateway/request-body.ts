/**
 * The body of a request on its way to the agent server. A long one is counted, and never held in memory
 * as a whole.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Transform } from 'node:stream'
import { AppError } from '../core/errors.ts'

/** How long the gateway reads the rest of a body after its response, in ms. */
const DISCARD_MS = 10_000

/** Whether the request came over HTTP/1. Over HTTP/2 many requests share one connection. */
function isHttp1({ httpVersionMajor }: IncomingMessage): boolean {
  return httpVersionMajor === 1
}

export function hasBody(req: IncomingMessage): boolean {
  return 'transfer-encoding' in req.headers || Number(req.headers['content-length'] ?? 0) > 0
}

/** A body of at most this many bytes is forwarded as one piece. */
const MAX_PIECE_BYTES = 64 * 1024

/** Whether the announced length is short enough for `wholeBody`. */
function isShort({ headers }: IncomingMessage): boolean {
  return !('transfer-encoding' in headers) && Number(headers['content-length']) <= MAX_PIECE_BYTES
}

/**
 * A short body that has arrived completely, as it mostly does with its head. This costs far less than waiting for it.
 * `undefined`: it has not arrived, or only in part.
 */
function bodyThere(req: IncomingMessage): Buffer | undefined {
  const isThere = req.readableLength === Number(req.headers['content-length']) && isHttp1(req)
  return isThere ? (req.read() ?? undefined) : undefined
}

/** A whole short body. `undefined`: the client left before its end. */
function wholeBody(req: IncomingMessage): Promise<Buffer | undefined> {
  const { promise, resolve } = Promise.withResolvers<Buffer | undefined>()
  const pieces: Buffer[] = []
  req.on('data', (piece: Buffer) => pieces.push(piece))
  req.on('end', () => resolve(pieces.length === 1 ? pieces[0] : Buffer.concat(pieces)))
  req.on('close', () => resolve(undefined))
  req.on('error', () => {})
  return promise
}

/**
 * The body to forward: in one piece if it is short, otherwise as a stream that fails as `requestBody` does.
 * `undefined`: the client left before the end of a short one.
 */
export function bodyOf(
  req: IncomingMessage,
  maxBytes: number,
): Buffer | Transform | Promise<Buffer | undefined> {
  return isShort(req) ? (bodyThere(req) ?? wholeBody(req)) : requestBody(req, maxBytes)
}

/** Throws `too_large` when the announced length of the body exceeds `maxBytes`. */
export function checkBodySize(req: IncomingMessage, maxBytes: number): void {
  if (Number(req.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes)
}

/**
 * The body as a separate stream. It takes nothing from the request until it is read. Destroying it leaves the client's
 * connection open, so that the client can still get a response. It fails with `too_large` beyond `maxBytes`, and when
 * the client leaves before the end of the body.
 */
export function requestBody(req: IncomingMessage, maxBytes: number): Transform {
  let bytes = 0
  const body = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length
      if (bytes > maxBytes) done(tooLarge(maxBytes))
      else done(null, chunk)
    },
  })
  const leave = () => {
    if (!req.complete) body.destroy(new Error('The client left before the end of its request.'))
  }
  req.once('close', leave)
  body.once('close', () => {
    req.off('close', leave)
    req.unpipe(body)
    // Reads and drops the rest of the body: the client sees its response only after it has sent everything.
    req.resume()
  })
  // The reader of the body reports its failure. Without this listener it would end the process.
  body.on('error', () => {})
  req.on('error', () => {})
  body.once('resume', () => req.pipe(body))
  return body
}

/**
 * Ends a response that is completely written. When the request's body is still arriving, its rest is read and dropped,
 * for ten seconds at most. A connection that closes with the response closes only after that: otherwise it would be
 * reset while the client sends, and the response would be lost.
 */
export function endAnswer(req: IncomingMessage, res: ServerResponse): void {
  if (req.complete) {
    // Only a further read reveals the end. Otherwise Node would make the request flow to find it.
    if (req.readableLength === 0 && !req.readableEnded) req.read()
    return void res.end()
  }
  // A client that asked whether to send its body does not send it after a refusal.
  const isLingering = req.headers.expect === undefined && !res.shouldKeepAlive
  if (!isLingering) res.end()
  discardBody(req, () => isLingering && res.end())
}

function discardBody(req: IncomingMessage, onOver: () => unknown): void {
  const timer = setTimeout(() => req.destroy(), DISCARD_MS)
  timer.unref()
  const settle = () => {
    clearTimeout(timer)
    onOver()
  }
  req.once('end', settle)
  req.once('close', settle)
  req.resume()
}

function tooLarge(maxBytes: number): AppError {
  return new AppError('too_large', `The body must not be larger than ${maxBytes} bytes.`)
}
