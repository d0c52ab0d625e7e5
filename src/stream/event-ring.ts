/** The latest events of a run or a thread, without a gap, as far as memory allows. */
import type { RunEvent } from '../core/agent/event.ts'

/** How much is kept in memory. The first limit that is reached counts. */
export interface RingLimits {
  events: number
  /** The size of the events' data, in characters. */
  chars: number
}

export class EventRing<T extends RunEvent> {
  readonly #limits: RingLimits
  readonly #numberOf: (event: T) => number
  #events: (T | undefined)[] = []
  /** How many of them are forgotten; they are taken out when they are half of all. */
  #forgotten = 0
  #chars = 0

  /** `numberOf`: the event's number. Each event's is one more than that of the event before it. */
  constructor(limits: RingLimits, numberOf: (event: T) => number) {
    this.#limits = limits
    this.#numberOf = numberOf
  }

  /**
   * Adds the next event. After a gap, or behind events of another thread that had the same id, it becomes the only one.
   * `false`: the ring has it already, or it is too old.
   */
  add(event: T): boolean {
    const number = this.#numberOf(event)
    const first = this.#events[this.#forgotten]
    const next = first ? this.#numberOf(first) + this.#length : number
    if (number < next && this.#isKnown(event, number)) return false
    if (number !== next) this.clear()
    this.#events.push(event)
    this.#chars += event.data.length
    this.#trim()
    return true
  }

  /**
   * Events with a number greater than `after`, at most `limit`. `undefined`: the ring is empty or does
   * not reach back that far; read the store.
   */
  since(after: number, limit: number): T[] | undefined {
    const first = this.#events[this.#forgotten]
    if (!first || after < this.#numberOf(first) - 1) return undefined
    const start = this.#forgotten + after + 1 - this.#numberOf(first)
    return this.#events.slice(start, start + limit) as T[]
  }

  clear(): void {
    this.#events = []
    this.#forgotten = 0
    this.#chars = 0
  }

  /** Whether the event is in the ring, or too old. */
  #isKnown(event: T, number: number): boolean {
    const first = this.#events[this.#forgotten]
    const known = first && this.#events[this.#forgotten + number - this.#numberOf(first)]
    return !known || known.run_id === event.run_id
  }

  get #length(): number {
    return this.#events.length - this.#forgotten
  }

  #trim(): void {
    while (this.#length > this.#limits.events || this.#chars > this.#limits.chars) {
      const oldest = this.#events[this.#forgotten]
      if (!oldest) break
      this.#chars -= oldest.data.length
      this.#events[this.#forgotten] = undefined
      this.#forgotten += 1
    }
    // Removing them one by one would move all others each time.
    if (this.#forgotten <= this.#length) return
    this.#events = this.#events.slice(this.#forgotten)
    this.#forgotten = 0
  }
}
