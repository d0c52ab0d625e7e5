/** Refuses requests that are too large before their bodies are read. */
import type { MiddlewareHandler } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { AppError } from '../core/errors.ts'

/** Middleware that throws `too_large` for a body of more than `maxBytes`. `whose`: what sets it. */
export function limitBody(
  maxBytes: number,
  whose = 'the limit of this server (RUNYARD_MAX_BODY_BYTES)',
): MiddlewareHandler {
  const refuse = (): never => {
    throw new AppError('too_large', `The request is larger than ${maxBytes} bytes, ${whose}.`)
  }
  const limitUnannounced = bodyLimit({ maxSize: maxBytes, onError: refuse })
  return async (c, next) => {
    if (Number(c.req.header('content-length') ?? 0) > maxBytes) refuse()
    if (c.req.header('transfer-encoding') === undefined) return next()
    c.req.raw = plainRequest(c.req.raw)
    return limitUnannounced(c, next)
  }
}

/** Makes a real `Request` from the HTTP server's imitation, which Hono's limit cannot copy. */
function plainRequest({ url, method, headers, body, signal }: Request): Request {
  return new Request(url, { method, headers: [...headers], body, signal, duplex: 'half' })
}
