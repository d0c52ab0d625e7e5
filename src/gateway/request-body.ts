/** A request's body on its way to the agent server: counted, never gathered. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Transform } from 'node:stream'
import { AppError } from '../core/errors.ts'

/** How long the rest of a body is read whose request is answered already. */
const DISCARD_MS = 10_000

export function hasBody(req: IncomingMessage): boolean {
  return 'transfer-encoding' in req.headers || Number(req.headers['content-length'] ?? 0) > 0
}

/** Throws `too_large` for a body that is announced as larger than `maxBytes`. */
export function checkBodySize(req: IncomingMessage, maxBytes: number): void {
  if (Number(req.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes)
}

/**
 * The body as a stream of its own: whoever destroys it leaves the client's connection as it is, so
 * that the client can still be answered. It fails with `too_large` beyond `maxBytes`, and when the
 * client leaves before its end.
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
    // What is left of it is read and dropped: the client sees its answer only when it has sent all.
    req.resume()
  })
  // Its reader reports the failure; without a listener of its own it would end the process.
  body.on('error', () => {})
  req.on('error', () => {})
  return req.pipe(body)
}

/**
 * Ends an answer all of which is written. Where the request's body is still on its way, the rest of
 * it is read and dropped, for ten seconds at most; a connection that closes with the answer closes
 * only then: it would be reset under a client that sends, and the answer would be lost.
 */
export function endAnswer(req: IncomingMessage, res: ServerResponse): void {
  if (req.complete) return void res.end()
  // A client that asked first whether to send its body does not, once it is refused.
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
