/** The time range and the steps of a request for figures. */
import type { Clock } from '../../core/clock.ts'
import { invalidField } from '../../core/errors.ts'

const HOUR_MS = 3_600_000
/** How long figures are kept, in ms. */
export const KEPT_MS = 24 * HOUR_MS
/** The most points in an answer, and the number to aim for when the query names no step. */
const MOST_POINTS = 3000
const MEANT_POINTS = 120

export interface FiguresQuery {
  from?: string | undefined
  to?: string | undefined
  /** In s. */
  step?: number | undefined
}

export interface FiguresRange {
  from: number
  to: number
  stepMs: number
}

/**
 * The last hour, in steps that make about 120 points, unless the query says otherwise. A step is a multiple
 * of the stored steps. Throws `invalid` for a bad range.
 */
export function rangeOf(query: FiguresQuery, keptStepMs: number, clock: Clock): FiguresRange {
  const to = query.to === undefined ? clock.now() : Date.parse(query.to)
  const from = query.from === undefined ? to - HOUR_MS : Date.parse(query.from)
  if (from >= to)
    throw invalidField(['query', 'from'], 'Expected a moment before the end.', 'range')
  const askedMs = query.step === undefined ? (to - from) / MEANT_POINTS : query.step * 1000
  const stepMs = Math.max(1, Math.ceil(askedMs / keptStepMs)) * keptStepMs
  const range = { from: Math.floor(from / stepMs) * stepMs, to, stepMs }
  if (Math.min(to - from, KEPT_MS) / stepMs <= MOST_POINTS) return range
  const hint = `These are more than ${MOST_POINTS} points: ask for a shorter time or longer steps.`
  throw invalidField(['query', 'step'], hint, 'range')
}
