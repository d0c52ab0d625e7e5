/** The text of a JSON body. */
import type { MiddlewareHandler } from 'hono'
import { AppError } from '../core/errors.ts'

/**
 * Reads a body that `treatBodyAsJson` took for JSON, and throws `bad_request` where it is no UTF-8:
 * otherwise what is broken would be stored as replacement letters. Goes behind the limit of bodies.
 */
export const requireUtf8: MiddlewareHandler = async (c, next) => {
  if (c.req.header('content-type') === 'application/json' && !isTakenAway(c.req)) {
    const text = decode(await c.req.arrayBuffer())
    // In place of the bytes: an answer may stream for hours. The cache holds promises, whatever its type says.
    Object.assign(c.req, { bodyCache: { text: Promise.resolve(text) } })
  }
  await next()
}

/** A project's own middleware may have read the raw request; nobody can read it again. */
function isTakenAway({ raw, bodyCache }: { raw: Request; bodyCache: object }): boolean {
  return raw.bodyUsed && Object.keys(bodyCache).length === 0
}

function decode(bytes: ArrayBuffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw new AppError('bad_request', 'The body is no valid UTF-8: send JSON in UTF-8.', { cause })
  }
}
