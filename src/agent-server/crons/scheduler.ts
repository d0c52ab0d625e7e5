/** Looks for due crons: when the next one is due, after a change, and at intervals. */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Clock } from '../../core/clock.ts'
import type { Log } from '../../core/log.ts'

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
  /** Runs the work outside the waking request, which is not the origin of the runs. */
  readonly #outside = AsyncLocalStorage.snapshot()
  /** `undefined`: the scheduler is stopped. */
  #fire: (() => Promise<void>) | undefined
  #isLooking = false
  #isLookWanted = false
  #looked: Promise<void> = Promise.resolve()
  #timer: NodeJS.Timeout | undefined

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
    clearTimeout(this.#timer)
    await this.#looked
  }

  /** Looks now. Call it after the commit that added or changed a cron. */
  wake(): void {
    if (!this.#fire) return
    this.#isLookWanted = true
    if (!this.#isLooking) this.#looked = this.#outside(() => this.#look())
  }

  async #look(): Promise<void> {
    this.#isLooking = true
    clearTimeout(this.#timer)
    let nextLookMs = this.#pollMs
    while (this.#isLookWanted && this.#fire) {
      this.#isLookWanted = false
      nextLookMs = await this.#fireDue(this.#fire)
    }
    this.#isLooking = false
    if (this.#fire) this.#timer = setTimeout(() => this.wake(), nextLookMs)
  }

  /** Returns the time until the next look, in ms. */
  async #fireDue(fire: () => Promise<void>): Promise<number> {
    const { nextDue, clock, log } = this.#parts
    try {
      await fire()
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
