/** The events of a followed run that this process keeps in memory. */
import { isEnd, type LoggedEvent } from '../core/agent/event.ts'
import { Announcer } from './announcer.ts'

/** How much of a run is kept in memory. The first limit that is reached counts. */
export interface RingLimits {
  events: number
  /** The size of the events' data, in characters. */
  chars: number
}

/**
 * The latest events of one run, without a gap. It wakes followers when the next one comes. Memory is
 * limited: older events are read from the store.
 */
export class LiveRun extends Announcer {
  readonly #limits: RingLimits
  #events: LoggedEvent[] = []
  #chars = 0
  /** The run's last event, once it was added. */
  end: LoggedEvent | undefined

  constructor(limits: RingLimits) {
    super()
    this.#limits = limits
  }

  /** Adds the next event of the store. Ignores one that it has already. */
  add(event: LoggedEvent): void {
    const next = (this.#events.at(-1)?.run_seq ?? event.run_seq - 1) + 1
    if (event.run_seq < next) return
    if (event.run_seq > next) this.#clear()
    this.#events.push(event)
    this.#chars += event.data.length
    this.#trim()
    if (isEnd(event)) this.end = event
    this.announce()
  }

  /**
   * Events with a `run_seq` greater than `after`, at most `limit`. `undefined`: the ring is empty or does
   * not reach back that far; read the store.
   */
  since(after: number, limit: number): LoggedEvent[] | undefined {
    const first = this.#events[0]
    if (!first || after < first.run_seq - 1) return undefined
    const start = after + 1 - first.run_seq
    return this.#events.slice(start, start + limit)
  }

  #trim(): void {
    let surplus = 0
    while (
      this.#events.length - surplus > this.#limits.events ||
      this.#chars > this.#limits.chars
    ) {
      const oldest = this.#events[surplus]
      if (!oldest) break
      this.#chars -= oldest.data.length
      surplus += 1
    }
    if (surplus > 0) this.#events.splice(0, surplus)
  }

  #clear(): void {
    this.#events = []
    this.#chars = 0
  }
}
