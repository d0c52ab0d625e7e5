/** Work done again and again, one round after the other. */
import type { Log } from '../core/log.ts'

/** Does `work` every `ms` until it is stopped; a round that fails is logged and the next one comes. */
export class Ticker {
  readonly #ms: number
  readonly #work: () => Promise<void>
  readonly #log: Log
  #timer: NodeJS.Timeout | undefined
  #round: Promise<void> = Promise.resolve()
  #isStopped = true

  constructor(ms: number, work: () => Promise<void>, log: Log) {
    this.#ms = ms
    this.#work = work
    this.#log = log
  }

  /** The first round comes after `ms`. */
  start(): void {
    this.#isStopped = false
    this.#plan()
  }

  /** Settles when the round under way has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true
    clearTimeout(this.#timer)
    await this.#round
  }

  #plan(): void {
    if (this.#isStopped) return
    this.#timer = setTimeout(() => {
      this.#round = this.#tick()
    }, this.#ms)
  }

  async #tick(): Promise<void> {
    try {
      await this.#work()
    } catch (error) {
      this.#log.error({ err: error }, 'a round of work failed; it is tried again')
    }
    this.#plan()
  }
}
