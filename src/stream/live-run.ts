/** What this process keeps in memory of a run while it is followed here. */
import { isEnd, type LoggedEvent } from '../core/agent/event.ts'
import { Announcer } from './announcer.ts'

/** How much of a run is kept in memory: whichever limit is reached first. */
export interface RingLimits {
  events: number
  /** Of the events' data, in characters. */
  chars: number
}

/**
 * The latest events of one run, without a gap, and those who wait for the next one. Memory is
 * bounded: who needs an event that has left the ring reads it from the store.
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

  /** Takes the next event that is in the store. One that it knows is passed over. */
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
   * At most `limit` events with a `run_seq` greater than `after`. `undefined`: the ring holds nothing
   * yet, or does not reach back that far; ask the store.
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
