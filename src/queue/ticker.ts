/** Repeats work, one round after the other. */
import { DatabaseAway } from '../core/errors.ts'
import type { Log } from '../core/log.ts'

/** How long the same failure is not logged again, in ms. */
const TOLD_ONCE_MS = 60_000

const FAILED = 'a round of work failed; it is tried again'

/**
 * Calls `work` every `ms` until it is stopped. A failed round is logged and does not end the rounds; the same failure
 * is logged once a minute. Failures of an unavailable database are logged each time: see `DatabaseOutage`.
 */
export class Ticker {
  readonly #ms: number
  readonly #work: () => Promise<void>
  readonly #log: Log
  #timer: NodeJS.Timeout | undefined
  #round: Promise<void> = Promise.resolve()
  #isStopped = true
  #told: { failure: string; at: number } | undefined

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
      if (this.#told) this.#log.info({}, 'rounds of work succeed again')
      this.#told = undefined
    } catch (error) {
      this.#tell(error)
    }
    this.#plan()
  }

  #tell(error: unknown): void {
    const failure = String(error)
    const now = performance.now()
    // `DatabaseOutage` limits what is logged of an unavailable database.
    const isAway = error instanceof DatabaseAway
    if (failure === this.#told?.failure && now - this.#told.at < TOLD_ONCE_MS) return
    if (!isAway) this.#told = { failure, at: now }
    this.#log.error({ err: error }, FAILED)
  }
}
