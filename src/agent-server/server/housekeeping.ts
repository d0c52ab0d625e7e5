/** Removes expired data at intervals. Every server does this; the first one to find the data removes it. */
import { IDEMPOTENCY_KEY_MS } from '../../core/agent/idempotency-key.ts'
import { Ticker } from '../../queue/ticker.ts'
import type { Parts } from '../agent-server-parts.ts'
import { removeExpiredItems } from '../store/items.ts'
import { removeExpired } from '../threads/thread-removal.ts'

/** How often stateless runs' threads, idempotency keys, deliveries and timelines are purged, in ms. */
const PURGE_MS = 30_000
/** How long webhook deliveries are kept after their last attempt, in ms: a week. */
const DELIVERY_MS = 7 * 86_400_000
/** How long runs' timelines are kept, in ms: a week. */
const TIMELINE_MS = 7 * 86_400_000
/**
 * How often threads with a TTL below the sweep interval are swept, in ms. Otherwise they would live many
 * times as long as their TTL.
 */
const SHORT_LIVED_MS = 5_000
const MINUTE_MS = 60_000
/** The longest delay of a Node timer, in ms: 24 days. */
const MAX_TIMER_MS = 2 ** 31 - 1

export class Housekeeping {
  readonly #parts: Parts
  readonly #tickers: readonly Ticker[]

  /** Threads and items are swept at the intervals of the project's configuration, or more often. */
  constructor(parts: Parts) {
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

  /** Resolves when work in progress has ended. */
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
