/** The requests whose responses a server has not completed yet. */
import type { Server } from 'node:http'

export class OpenRequests {
  #count = 0
  #ended = Promise.withResolvers<void>()

  /** Counts from now on, without WebSockets. */
  constructor(server: Server) {
    server.on('request', (_, response) => {
      this.#count += 1
      response.once('close', () => {
        this.#count -= 1
        if (this.#count > 0) return
        this.#ended.resolve()
        this.#ended = Promise.withResolvers()
      })
    })
  }

  /** Resolves when none is open, after `limitMs` in any case. */
  async whenNone(limitMs: number): Promise<void> {
    if (this.#count === 0) return
    const late = Promise.withResolvers<void>()
    const timer = setTimeout(late.resolve, limitMs)
    await Promise.race([this.#ended.promise, late.promise])
    clearTimeout(timer)
  }
}
