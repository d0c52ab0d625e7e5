/** Sends signs of life on a silent connection, so that it is not taken for dead. */
import type { Body } from './body.ts'

/** How long a connection may be silent, in ms. LangGraph Server uses the same time. */
const HEARTBEAT_MS = 5_000

export class Heartbeat {
  readonly #timer: NodeJS.Timeout

  /** Starts. A reader that is behind gets none, since it has enough to read. */
  constructor(body: Body, text: string, ms: number = HEARTBEAT_MS) {
    this.#timer = setInterval(() => {
      if (!body.isBehind) void body.write(text)
    }, ms)
  }

  /** Something else was sent: the silence starts again. */
  reset(): void {
    this.#timer.refresh()
  }

  stop(): void {
    clearInterval(this.#timer)
  }
}
