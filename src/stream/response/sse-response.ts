/** Answers a request with a stream of server-sent events. */
import type { Context } from 'hono'
import type { Log } from '../../core/log.ts'
import { type Body, whenLeft } from './body.ts'
import { Heartbeat } from './heartbeat.ts'
import { openBody } from './open-body.ts'
import { HEARTBEAT } from './sse.ts'

interface SseResponseParts {
  /** `Location`, `Content-Location` and the like. The headers of every stream are set here. */
  headers?: Record<string, string>
  /**
   * Yields whole frames (`sse.ts`), one or several at a time, as text or its bytes in UTF-8. Its end is a clean end of
   * the stream, which clients take for the end of the run. When it throws, the connection is cut, so that clients
   * reconnect. The signal aborts when the client leaves.
   */
  source: (signal: AbortSignal) => AsyncIterable<string | Uint8Array>
  /** Called once, when the client leaves before the end. */
  onDisconnect?: () => void
  /** Called at the beginning. The function that it returns is called once at the end, however the stream ends. */
  onOpen?: () => () => void
  /** The silence before a heartbeat, in ms. Default: 5,000. */
  heartbeatMs?: number
  log: Log
}

const SSE_HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
}

/** Starts to stream. The handler has to return the response. */
export function sseResponse(c: Context, parts: SseResponseParts): Response {
  const { body, response } = openBody(c, { ...parts.headers, ...SSE_HEADERS })
  if (parts.onDisconnect) whenLeft(body, parts.onDisconnect)
  void pump(body, parts)
  return response
}

async function pump(
  body: Body,
  { source, onOpen, heartbeatMs, log }: SseResponseParts,
): Promise<void> {
  const onOver = onOpen?.()
  const heartbeat = new Heartbeat(body, HEARTBEAT, heartbeatMs)
  try {
    for await (const text of source(body.left)) {
      if (body.left.aborted) return
      await body.write(text)
      heartbeat.reset()
    }
    body.end()
  } catch (error) {
    if (!body.left.aborted) log.warn({ err: error }, 'cut a stream before the end of its run')
    body.destroy()
  } finally {
    heartbeat.stop()
    onOver?.()
  }
}
