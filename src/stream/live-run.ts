/** The events of a followed run that this process keeps in memory. */
import { isEnd, type LoggedEvent } from '../core/agent/event.ts'
import { Announcer } from './announcer.ts'
import { EventRing, type RingLimits } from './event-ring.ts'

/**
 * The latest events of one run, without a gap. It wakes followers when the next one comes. Memory is
 * limited: older events are read from the store.
 */
export class LiveRun extends Announcer {
  readonly #ring: EventRing<LoggedEvent>
  /** The run's last event, once it was added. */
  end: LoggedEvent | undefined

  constructor(limits: RingLimits) {
    super()
    this.#ring = new EventRing(limits, ({ run_seq }) => run_seq)
  }

  /** Adds the next event of the store. Ignores one that it has already. */
  add(event: LoggedEvent): void {
    if (!this.#ring.add(event)) return
    if (isEnd(event)) this.end = event
    this.announce()
  }

  /** See `EventRing.since`. */
  since(after: number, limit: number): LoggedEvent[] | undefined {
    return this.#ring.since(after, limit)
  }
}
