/** Finds where a page's events are shown. Caches by name: only the name decides, and most events share one. */
import type { ThreadEvent } from '../../core/agent/event.ts'
import {
  type Attribution,
  type ProtocolFilter,
  type ProtocolPlace,
  protocolPlaceOf,
} from '../../core/agent/protocol.ts'
import { placeOf } from '../../stream/protocol-event.ts'
import { placeFor } from '../../stream/protocol-filter.ts'

/** See `toProtocolEvent`. */
interface ShownPlace {
  place: ProtocolPlace
  own: ProtocolPlace | undefined
}

export class ShownPlaces {
  readonly #filters: readonly ProtocolFilter[]
  readonly #attribution: Attribution
  readonly #known = new Map<string, ShownPlace | undefined>()

  constructor(filters: readonly ProtocolFilter[], attribution: Attribution) {
    this.#filters = filters
    this.#attribution = attribution
  }

  /** `undefined`: no filter matches the event. */
  of({ event }: Pick<ThreadEvent, 'event'>): ShownPlace | undefined {
    const known = this.#known.get(event)
    if (known || this.#known.has(event)) return known
    const stands = placeOf({ event })
    const place = stands && placeFor(stands, this.#filters, this.#attribution)
    const shown = place && { place, own: protocolPlaceOf(event) }
    this.#known.set(event, shown)
    return shown
  }
}
