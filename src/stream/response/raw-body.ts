/** A body that writes to Node's own response. */
import type { ServerResponse } from 'node:http'
import type { Body } from './body.ts'

export class RawBody implements Body {
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
