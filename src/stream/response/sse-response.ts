/** Answers a request with a stream of server-sent events. */
import type { Context } from 'hono'
import { type ResponseParts, respond } from './body.ts'
import { HEARTBEAT } from './sse.ts'

/** `headers`: `Location`, `Content-Location` and the like. The headers of every stream are set here. */
interface SseResponseParts extends ResponseParts {
  /**
   * Yields whole frames (`sse.ts`), one or several at a time, as text or its bytes in UTF-8. Its end is a clean end of
   * the stream, which clients take for the end of the run. When it throws, the connection is cut, so that clients
   * reconnect. The signal aborts when the client leaves.
   */
  source: (signal: AbortSignal) => AsyncIterable<string | Uint8Array>
  /** Called at the beginning. The function that it returns is called once at the end, however the stream ends. */
  onOpen?: () => () => void
}

const SSE_HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
}

/** Starts to stream. The handler has to return the response. */
export function sseResponse(c: Context, { source, onOpen, ...parts }: SseResponseParts): Response {
  const headers = { ...parts.headers, ...SSE_HEADERS }
  const how = {
    ...parts,
    headers,
    heartbeat: HEARTBEAT,
    cut: 'cut a stream before the end of its run',
  }
  return respond(c, how, async (body) => {
    const onOver = onOpen?.()
    try {
      for await (const text of source(body.left)) {
        if (body.left.aborted) return
        await body.write(text)
      }
    } finally {
      onOver?.()
    }
  })
}
