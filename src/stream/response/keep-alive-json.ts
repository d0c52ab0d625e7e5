/** A JSON answer that may take long. Whitespace keeps the connection alive until then. */
import type { Context } from 'hono'
import type { JsonValue } from '../../core/json.ts'
import { type Body, type ResponseParts, respond } from './body.ts'

interface KeepAliveJsonParts extends ResponseParts {
  /**
   * The answer, sent with status 200. When it rejects, the connection is cut: the status has been sent
   * already, and clients ask again when they see a broken connection. The signal aborts when the client
   * leaves.
   */
  result: (signal: AbortSignal) => Promise<JsonValue | JsonText>
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

/** Sends the status and headers at once. The handler has to return the response. */
export function keepAliveJson(c: Context, { result, ...parts }: KeepAliveJsonParts): Response {
  const headers = { ...parts.headers, 'content-type': 'application/json' }
  // Leading whitespace is part of any JSON text.
  const how = { ...parts, headers, heartbeat: '\n', cut: 'cut a connection that waited for a run' }
  return respond(c, how, async (body) => {
    const value = await result(body.left)
    // Whitespace in the middle of a text would be part of it.
    body.stopHeartbeat()
    await writePieces(body, value instanceof JsonText ? value.text : JSON.stringify(value))
  })
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
