/** Response bodies that are written piece by piece. */
import type { ServerResponse } from 'node:http'
import { PassThrough, Readable } from 'node:stream'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { Context } from 'hono'
import type { Log } from '../../core/log.ts'

/** How long a connection may be silent, in ms. LangGraph Server uses the same time. */
const HEARTBEAT_MS = 5_000

/** The parts of a response that `respond` needs, whatever its body is. */
export interface ResponseParts {
  headers?: Record<string, string>
  /** Called once, when the client leaves before the end. */
  onDisconnect?: () => void
  /** The silence before a heartbeat, in ms. Default: 5,000. */
  heartbeatMs?: number
  log: Log
}

/**
 * Answers 200 at once, with these headers and those that middleware has set on the context so far. The handler has to
 * return the response. When `write` settles, the body ends; when it rejects, the connection is cut, and `cut` goes to
 * the log. `heartbeat`: the text that is sent on a silent connection, so that it is not taken for dead.
 */
export function respond(
  c: Context,
  parts: ResponseParts & { heartbeat: string; cut: string },
  write: (body: Body) => Promise<void>,
): Response {
  for (const [name, value] of Object.entries(parts.headers ?? {})) c.header(name, value)
  const outgoing: ServerResponse | undefined = c.env?.outgoing
  // First: it may throw, and then there is neither a body nor a reader that can leave.
  if (outgoing && !outgoing.closed && !outgoing.destroyed) {
    outgoing.writeHead(200, [...c.res.headers].flat())
    outgoing.flushHeaders()
  }
  const to = outgoing ?? new PassThrough({ highWaterMark: 1 })
  const body = new Body(to, parts)
  const { onDisconnect } = parts
  if (onDisconnect && body.left.aborted) onDisconnect()
  else if (onDisconnect) body.left.addEventListener('abort', onDisconnect, { once: true })
  void finish(body, parts, write)
  if (outgoing) return RESPONSE_ALREADY_SENT
  return c.body(Readable.toWeb(to as PassThrough) as ReadableStream<Uint8Array>)
}

async function finish(
  body: Body,
  { cut, log }: { cut: string; log: Log },
  write: (body: Body) => Promise<void>,
): Promise<void> {
  try {
    await write(body)
    body.end()
  } catch (error) {
    if (!body.left.aborted) log.warn({ err: error }, cut)
    body.destroy()
  }
}

/** Writes to the socket's response or, for requests within the process, to a stream that becomes the body. */
export class Body {
  readonly #to: ServerResponse | PassThrough
  readonly #left = new AbortController()
  readonly #heartbeat: NodeJS.Timeout
  #isEnded = false

  constructor(
    to: ServerResponse | PassThrough,
    { heartbeat, heartbeatMs = HEARTBEAT_MS }: { heartbeat: string; heartbeatMs?: number },
  ) {
    this.#to = to
    // An error means here that the reader has left; `close` follows.
    to.on('error', () => {})
    to.on('close', () => this.#onClose())
    if (to.closed || to.destroyed) this.#left.abort()
    // A reader that is behind has enough to read.
    this.#heartbeat = setInterval(() => {
      if (!to.writableNeedDrain && !this.left.aborted) to.write(heartbeat)
    }, heartbeatMs)
  }

  /** Aborts when the reader leaves before the end. Further writes are dropped. */
  get left(): AbortSignal {
    return this.#left.signal
  }

  /** Writes text, or its bytes in UTF-8. Settles when there is room for more, or when the reader has left. */
  async write(text: string | Uint8Array): Promise<void> {
    if (this.left.aborted) return
    if (!this.#to.write(text)) await this.#room()
    this.#heartbeat.refresh()
  }

  /** Sends no more heartbeats. */
  stopHeartbeat(): void {
    clearInterval(this.#heartbeat)
  }

  /** The body is complete. */
  end(): void {
    this.#over()
    if (!this.left.aborted) this.#to.end()
  }

  /** Cuts the body short. The reader sees a broken connection, never a clean end. */
  destroy(): void {
    this.#over()
    const error = new Error('The stream was cut before its end; reconnect.')
    this.#to.destroy(this.#to instanceof PassThrough ? error : undefined)
  }

  #over(): void {
    this.#isEnded = true
    this.stopHeartbeat()
  }

  #onClose(): void {
    if (!this.#isEnded) this.#left.abort()
  }

  #room(): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        this.#to.off('drain', done)
        this.#to.off('close', done)
        resolve()
      }
      this.#to.on('drain', done)
      this.#to.on('close', done)
    })
  }
}
