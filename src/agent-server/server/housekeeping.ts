/** What is removed by and by when its time is up, by whichever server comes to it first. */
import { IDEMPOTENCY_KEY_MS } from '../../core/agent/idempotency-key.ts'
import { Ticker } from '../../queue/ticker.ts'
import type { Parts } from '../parts.ts'
import { removeExpiredItems } from '../store/expiry.ts'
import { type RemovalParts, removeExpired } from '../threads/removal.ts'

/** How often it looks for stateless runs' threads, idempotency keys and deliveries, in ms. */
const PURGE_MS = 30_000
/** How long webhook deliveries can be read and sent again after their last attempt, in ms: a week. */
const DELIVERY_MS = 7 * 86_400_000
/** How long timelines of runs are kept, in ms: a week. */
const TIMELINE_MS = 7 * 86_400_000
/**
 * How often it looks for threads that are kept for less time than lies between two sweeps, in ms: else
 * those would be there many times as long as they may.
 */
const SHORT_LIVED_MS = 5_000
const MINUTE_MS = 60_000
/** A timer of Node takes no more, in ms: 24 days. */
const MAX_TIMER_MS = 2 ** 31 - 1

type HousekeepingParts = RemovalParts & Pick<Parts, 'config' | 'log'>

export class Housekeeping {
  readonly #parts: HousekeepingParts
  readonly #tickers: readonly Ticker[]

  /** Threads and items are looked for as often as the project's configuration says, or more often. */
  constructor(parts: HousekeepingParts) {
    this.#parts = parts
    const { ttl, store } = parts.config
    this.#tickers = [
      this.#every(PURGE_MS, () => this.#purge()),
      this.#every(ttl.sweepIntervalMinutes * MINUTE_MS, () => this.#sweepThreads()),
      this.#every(SHORT_LIVED_MS, () =>
        this.#sweepThreads({ shorterThanMinutes: ttl.sweepIntervalMinutes }),
      ),
      this.#every(store.sweepIntervalMinutes * MINUTE_MS, () => this.#sweepItems()),
    ]
  }

  start(): void {
    for (const ticker of this.#tickers) ticker.start()
  }

  /** Settles when what is under way has ended. */
  async stop(): Promise<void> {
    await Promise.all(this.#tickers.map((ticker) => ticker.stop()))
  }

  #every(ms: number, work: () => Promise<void>): Ticker {
    return new Ticker(Math.min(ms, MAX_TIMER_MS), work, this.#parts.log)
  }

  async #purge(): Promise<void> {
    const { store, clock, log } = this.#parts
    const removed = await store.threads.purge(clock.now())
    if (removed > 0) log.debug({ removed }, 'removed the threads of stateless runs')
    await store.idempotencyKeys.expire(clock.now() - IDEMPOTENCY_KEY_MS)
    await store.webhookDeliveries.expire(new Date(clock.now() - DELIVERY_MS).toISOString())
    await store.timelines.expire(clock.now() - TIMELINE_MS)
  }

  async #sweepThreads(options: { shorterThanMinutes?: number } = {}): Promise<void> {
    const { config, log } = this.#parts
    const removed = await removeExpired(this.#parts, config.ttl.sweepLimit, options)
    if (removed > 0) log.info({ removed }, 'dealt with the threads whose time was up')
  }

  async #sweepItems(): Promise<void> {
    const { store, clock, log } = this.#parts
    const removed = await removeExpiredItems(store.items, clock.now())
    if (removed > 0) log.info({ removed }, 'removed the items of the store whose time was up')
  }
}
