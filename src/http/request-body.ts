/** Request bodies: their text, and the limit of their size. */
import type { MiddlewareHandler } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { AppError } from '../core/errors.ts'
import { parseJson } from '../core/exact-json.ts'

/**
 * Reads a body that `treatBodyAsJson` marked as JSON. Throws `bad_request` when it is not UTF-8, since the broken bytes
 * would be stored as replacement letters, and `unsupported` when it is compressed. Register it after the limit of
 * bodies.
 */
export const requireUtf8: MiddlewareHandler = async (c, next) => {
  if (c.req.header('content-type') === 'application/json' && !isTakenAway(c.req)) {
    requirePlain(c.req.header('content-encoding'))
    const text = decode(await c.req.arrayBuffer())
    // Keeps the text instead of the bytes, since a response may stream for hours. The cache holds promises, although
    // its type does not say so.
    Object.assign(c.req, { bodyCache: { text: Promise.resolve(text) } })
  }
  await next()
}

/** Reads bodies with their numbers as they were written (`parseJson`). Register it after `requireUtf8`. */
export const keepNumbers: MiddlewareHandler = async (c, next) => {
  c.req.json = async () => parseJson(await c.req.text())
  await next()
}

/** Decompressing would let a small request become a body of any size. */
function requirePlain(encoding = 'identity'): void {
  if (encoding.trim().toLowerCase() === 'identity') return
  const how = 'Send the body uncompressed, without a Content-Encoding.'
  throw new AppError('unsupported', `A body in "${encoding}" is not supported. ${how}`)
}

/** Whether a project's own middleware has read the raw request, which can be read only once. */
function isTakenAway({ raw, bodyCache }: { raw: Request; bodyCache: object }): boolean {
  return raw.bodyUsed && Object.keys(bodyCache).length === 0
}

function decode(bytes: ArrayBuffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw new AppError('bad_request', 'The body is not valid UTF-8. Send JSON in UTF-8.', { cause })
  }
}

/**
 * Middleware that throws `too_large` for a body of more than `maxBytes`, before it is read. `whose`: the name of the limit
 * in the refusal.
 */
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
