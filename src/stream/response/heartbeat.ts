/** Signs of life for a connection that is silent for long, so that nobody takes it for dead. */
import type { Body } from './body.ts'

/** After how much silence one is sent, in ms (facts, section 6). */
const HEARTBEAT_MS = 5_000

export class Heartbeat {
  readonly #timer: NodeJS.Timeout

  /** Begins. A reader that is behind gets none: it has enough to read. */
  constructor(body: Body, text: string, ms: number = HEARTBEAT_MS) {
    this.#timer = setInterval(() => {
      if (!body.isBehind) void body.write(text)
    }, ms)
  }

  /** Something else was sent: the silence begins anew. */
  reset(): void {
    this.#timer.refresh()
  }

  stop(): void {
    clearInterval(this.#timer)
  }
}
