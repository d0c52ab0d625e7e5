/**
 * A response body that is written bit by bit, with two ends: straight to the socket's response where
 * there is one, else a `ReadableStream` (requests within the process).
 */
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { Context } from 'hono'
import { RawBody } from './raw-body.ts'
import { WebBody } from './web-body.ts'

export interface Body {
  /** More was written than the reader has taken. */
  readonly isBehind: boolean
  /** Settles when more is welcome: at once, or when the reader has caught up or left. */
  write(text: string): Promise<void>
  /** The whole of it was written. */
  end(): void
  /** It was cut short: the reader sees a broken connection, never a clean end. */
  destroy(): void
  /** Aborts when the reader left before the end; what is written then is dropped. */
  readonly left: AbortSignal
}

/** Calls back once when the reader leaves before the end, or has left already. */
export function whenLeft(body: Body, callback: () => void): void {
  if (body.left.aborted) callback()
  else body.left.addEventListener('abort', callback, { once: true })
}

/**
 * Answers 200 with these headers, and those that middleware has set on the context so far; they are
 * sent at once. The response has to be returned from the handler.
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
