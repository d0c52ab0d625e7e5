/** A JSON answer that may take long. Whitespace keeps the connection alive until then. */
import type { Context } from 'hono'
import type { JsonValue } from '../../core/json.ts'
import type { Log } from '../../core/log.ts'
import { type Body, whenLeft } from './body.ts'
import { Heartbeat } from './heartbeat.ts'
import { openBody } from './open-body.ts'

interface KeepAliveJsonParts {
  headers?: Record<string, string>
  /**
   * The answer, sent with status 200. When it rejects, the connection is cut: the status has been sent
   * already, and clients ask again when they see a broken connection. The signal aborts when the client
   * leaves.
   */
  result: (signal: AbortSignal) => Promise<JsonValue | JsonText>
  /** Called once, when the client leaves before the answer. */
  onDisconnect?: () => void
  /** The silence before each whitespace byte, in ms. Default: 5,000. */
  heartbeatMs?: number
  log: Log
}

/** A value that is JSON already. */
export class JsonText {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** How much is written at a time, in characters: other requests are served in between. */
const PIECE_CHARS = 2 ** 20

/** Leading whitespace is part of any JSON text. */
const WHITESPACE = '\n'

/** Sends the status and headers at once. The handler has to return the response. */
export function keepAliveJson(c: Context, parts: KeepAliveJsonParts): Response {
  const headers = { ...parts.headers, 'content-type': 'application/json' }
  const { body, response } = openBody(c, headers)
  if (parts.onDisconnect) whenLeft(body, parts.onDisconnect)
  void answer(body, parts)
  return response
}

async function answer(body: Body, parts: KeepAliveJsonParts): Promise<void> {
  const { result, heartbeatMs, log } = parts
  const heartbeat = new Heartbeat(body, WHITESPACE, heartbeatMs)
  try {
    const value = await result(body.left)
    // Whitespace in the middle of a text would be part of it.
    heartbeat.stop()
    await writePieces(body, value instanceof JsonText ? value.text : JSON.stringify(value))
    body.end()
  } catch (error) {
    if (!body.left.aborted) log.warn({ err: error }, 'cut a connection that waited for a run')
    body.destroy()
  } finally {
    heartbeat.stop()
  }
}

async function writePieces(body: Body, text: string): Promise<void> {
  for (let at = 0; at < text.length; ) {
    const end = at + PIECE_CHARS
    // The two halves of a character beyond 16 bits stay together.
    const isSplit = end < text.length && /[\uD800-\uDBFF]/.test(text.charAt(end - 1))
    const next = isSplit ? end + 1 : end
    await body.write(text.slice(at, next))
    at = next
  }
}
