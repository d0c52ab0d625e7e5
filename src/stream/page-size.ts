/** How many events to read at once, so that who reads slowly does not hold much of them. */
import type { NewEvent } from '../core/agent/event.ts'

/** Of the data of one page, in characters, unless told otherwise. */
const PAGE_CHARS = 262_144
const MAX_EVENTS = 64
/** Before anything is known of the events. */
const FIRST_EVENTS = 8

/** Learns from each page: the events of one stream are mostly alike. */
export class PageSize {
  readonly #maxChars: number
  /** For the next page. */
  events = FIRST_EVENTS

  /** Of one page; a single event may be larger. */
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
