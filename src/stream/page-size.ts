/** How many events to read at once, so that a slow reader does not hold many of them. */
import type { NewEvent } from '../core/agent/event.ts'

/** The default size of a page's data, in characters. */
const PAGE_CHARS = 262_144
const MAX_EVENTS = 256
/** The first page: nothing is known about the events yet. */
const FIRST_EVENTS = 8

/** Learns from each page, since the events of a stream are mostly alike. */
export class PageSize {
  readonly #maxChars: number
  /** How many events the next page should have. */
  events = FIRST_EVENTS

  /** `maxChars`: the size of a page's data. A single event may be larger. */
  constructor(maxChars: number = PAGE_CHARS) {
    this.#maxChars = maxChars
  }

  learn(page: readonly NewEvent[]): void {
    if (page.length === 0) return
    const chars = page.reduce((sum, { data }) => sum + data.length, 0)
    const fitting = Math.floor((this.#maxChars * page.length) / Math.max(chars, 1))
    this.events = Math.min(Math.max(fitting, 1), MAX_EVENTS)
  }
}
