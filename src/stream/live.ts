/** Followed runs and threads of this process: their latest events in memory, and the followers that wait for more. */
import { isEnd, type LoggedEvent, type RunEvent } from '../core/agent/event.ts'

/** How much is kept in memory. The first limit that is reached counts. */
export interface RingLimits {
  events: number
  /** The size of the events' data, in characters. */
  chars: number
}

/**
 * The latest events of a run or a thread, without a gap, and the followers that wait for the next one. Older events are
 * read from the store.
 */
abstract class Live<T extends RunEvent> {
  readonly #limits: RingLimits
  readonly #numberOf: (event: T) => number
  #events: T[] = []
  #chars = 0
  readonly #waiting = new Set<() => void>()
  /** Counts the announcements. A follower that sees a new number does not wait, and so misses nothing. */
  version = 0
  /** How many followers there are. The event log counts them. */
  followers = 0

  /** `numberOf`: the event's number. Each event's is one more than that of the event before it. */
  constructor(limits: RingLimits, numberOf: (event: T) => number) {
    this.#limits = limits
    this.#numberOf = numberOf
  }

  /** Wakes all waiting followers. */
  announce(): void {
    this.version += 1
    for (const wake of this.#waiting) wake()
  }

  /**
   * Settles once the version is no longer `seen`, after `ms`, or when the signal aborts; never
   * rejects.
   */
  changed(seen: number, ms: number, signal: AbortSignal): Promise<void> {
    if (this.version !== seen || signal.aborted) return Promise.resolve()
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', done)
        this.#waiting.delete(done)
        resolve()
      }
      const timer = setTimeout(done, ms)
      signal.addEventListener('abort', done)
      this.#waiting.add(done)
    })
  }

  /**
   * Events with a number greater than `after`, at most `limit`. `undefined`: memory is empty or does not reach back
   * that far; read the store.
   */
  since(after: number, limit: number): T[] | undefined {
    const [first] = this.#events
    if (!first || after < this.#numberOf(first) - 1) return undefined
    const start = after + 1 - this.#numberOf(first)
    return this.#events.slice(start, start + limit)
  }

  /**
   * Keeps the next event. After a gap, or behind events of another thread that had the same id, it becomes the only
   * one. `false`: it is kept already, or too old.
   */
  protected keep(event: T): boolean {
    const number = this.#numberOf(event)
    const [first] = this.#events
    const next = first ? this.#numberOf(first) + this.#events.length : number
    if (number < next && this.#isKnown(event, number)) return false
    if (number !== next) this.clear()
    this.#events.push(event)
    this.#chars += event.data.length
    const { events, chars } = this.#limits
    while (this.#events.length > events || this.#chars > chars) {
      this.#chars -= this.#events.shift()?.data.length ?? 0
    }
    return true
  }

  protected clear(): void {
    this.#events = []
    this.#chars = 0
  }

  /** Whether the event is kept, or too old. */
  #isKnown(event: T, number: number): boolean {
    const [first] = this.#events
    const known = first && this.#events[number - this.#numberOf(first)]
    return !known || known.run_id === event.run_id
  }
}

export class LiveRun extends Live<LoggedEvent> {
  /** The run's last event, once it was added. */
  end: LoggedEvent | undefined

  constructor(limits: RingLimits) {
    super(limits, ({ run_seq }) => run_seq)
  }

  /** Adds the next event of the store. Ignores an event that it already has. */
  add(event: LoggedEvent): void {
    if (!this.keep(event)) return
    if (isEnd(event)) this.end = event
    this.announce()
  }
}

export class LiveThread extends Live<RunEvent> {
  /** Counts announcements without events: those are in the store. */
  unread = 0

  constructor(limits: RingLimits) {
    super(limits, ({ seq }) => seq)
  }

  /** Adds events that were written here, in order, and wakes the followers. */
  add(events: readonly RunEvent[]): void {
    for (const event of events) this.keep(event)
    super.announce()
  }

  /** The thread has events that only the store has, or is gone. Wakes the followers. */
  override announce(): void {
    this.unread += 1
    this.clear()
    super.announce()
  }
}
