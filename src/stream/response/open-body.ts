/** Opens the body of a response, on the socket's own response if there is one. */
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { Context } from 'hono'
import type { Body } from './body.ts'
import { RawBody } from './raw-body.ts'
import { WebBody } from './web-body.ts'

/**
 * Answers 200 at once, with these headers and those that middleware has set on the context so far. The
 * handler has to return the response.
 */
export function openBody(
  c: Context,
  headers: Record<string, string>,
): { body: Body; response: Response } {
  for (const [name, value] of Object.entries(headers)) c.header(name, value)
  const outgoing = c.env?.outgoing
  if (outgoing) {
    return { body: new RawBody(outgoing, c.res.headers), response: RESPONSE_ALREADY_SENT }
  }
  const body = new WebBody()
  return { body, response: c.body(body.readable) }
}
