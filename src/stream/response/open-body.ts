/** Opens the body of a response, on the socket's own response if there is one. */

import type { ServerResponse } from 'node:http'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { Context } from 'hono'
import type { Body } from './body.ts'

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

// A body that writes to Node's own response.

class RawBody implements Body {
  readonly #outgoing: ServerResponse
  readonly #left = new AbortController()
  #isEnded = false

  /** Sends the status and headers. */
  constructor(outgoing: ServerResponse, headers: Headers) {
    this.#outgoing = outgoing
    // An error means here that the reader has left; `close` follows.
    outgoing.on('error', () => {})
    if (outgoing.closed || outgoing.destroyed) {
      this.#left.abort()
      return
    }
    outgoing.on('close', () => {
      if (!this.#isEnded) this.#left.abort()
    })
    outgoing.writeHead(200, [...headers].flat())
    outgoing.flushHeaders()
  }

  get left(): AbortSignal {
    return this.#left.signal
  }

  get isBehind(): boolean {
    return this.#outgoing.writableNeedDrain
  }

  async write(text: string | Uint8Array): Promise<void> {
    if (this.#left.signal.aborted || this.#outgoing.write(text)) return
    await new Promise<void>((resolve) => {
      const done = () => {
        this.#outgoing.off('drain', done)
        this.#outgoing.off('close', done)
        resolve()
      }
      this.#outgoing.on('drain', done)
      this.#outgoing.on('close', done)
    })
  }

  end(): void {
    this.#isEnded = true
    this.#outgoing.end()
  }

  destroy(): void {
    this.#isEnded = true
    this.#outgoing.destroy()
  }
}

// A body that a `Response` reads.

class WebBody implements Body {
  readonly readable: ReadableStream<Uint8Array>
  readonly #left = new AbortController()
  readonly #encoder = new TextEncoder()
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined
  #isEnded = false
  #wake: () => void = () => {}

  constructor() {
    this.readable = new ReadableStream({
      start: (controller) => {
        this.#controller = controller
      },
      pull: () => this.#wake(),
      cancel: () => {
        this.#left.abort()
        this.#wake()
      },
    })
  }

  get left(): AbortSignal {
    return this.#left.signal
  }

  get isBehind(): boolean {
    return (this.#controller?.desiredSize ?? 1) <= 0
  }

  async write(text: string | Uint8Array): Promise<void> {
    if (this.#left.signal.aborted || this.#isEnded) return
    const bytes = typeof text === 'string' ? this.#encoder.encode(text) : text
    this.#controller?.enqueue(bytes)
    if (!this.isBehind) return
    await new Promise<void>((resolve) => {
      this.#wake = resolve
    })
  }

  end(): void {
    if (this.#left.signal.aborted || this.#isEnded) return
    this.#isEnded = true
    this.#controller?.close()
  }

  destroy(): void {
    if (this.#left.signal.aborted || this.#isEnded) return
    this.#isEnded = true
    this.#controller?.error(new Error('The stream was cut before its end; reconnect.'))
  }
}
