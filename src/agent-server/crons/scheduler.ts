/** Looks for due crons: when the next one is due, after a change, and at intervals. */
import type { Clock } from '../../core/clock.ts'
import type { Log } from '../../core/log.ts'
import { Looks } from '../../core/looks.ts'

interface CronSchedulerParts {
  /** The next due time, in ms since 1970. */
  nextDue(): Promise<number | undefined>
  /** Poll interval for crons that another server left, in ms. Default 10,000. */
  pollMs?: number
  clock: Clock
  log: Log
}

const DEFAULT_POLL_MS = 10_000
const RETRY_MS = 1_000

export class CronScheduler {
  readonly #parts: CronSchedulerParts
  readonly #pollMs: number
  /** A request that wakes the scheduler is not the origin of the runs. */
  readonly #looks = new Looks(() => this.#look())
  /** `undefined`: the scheduler is stopped. */
  #fire: (() => Promise<void>) | undefined

  constructor(parts: CronSchedulerParts) {
    this.#parts = parts
    this.#pollMs = parts.pollMs ?? DEFAULT_POLL_MS
  }

  /** `fire` fires the due crons. It is called at once, for missed due times. */
  start(fire: () => Promise<void>): void {
    this.#fire = fire
    this.wake()
  }

  /** Resolves when the crons that are being fired have been fired. */
  async stop(): Promise<void> {
    this.#fire = undefined
    await this.#looks.stop()
  }

  /** Looks now. Call it after the commit that added or changed a cron. */
  wake(): void {
    if (this.#fire) this.#looks.request()
  }

  /** Returns the time until the next look, in ms. */
  async #look(): Promise<number> {
    const { nextDue, clock, log } = this.#parts
    try {
      await this.#fire?.()
      const due = await nextDue()
      const waitMs = due === undefined ? this.#pollMs : due - clock.now()
      // A due cron that could not be fired is tried again after a pause, not at once.
      return Math.min(waitMs > 0 ? waitMs : RETRY_MS, this.#pollMs)
    } catch (error) {
      log.error({ err: error }, 'could not look for crons; it is tried again')
      return this.#pollMs
    }
  }
}
