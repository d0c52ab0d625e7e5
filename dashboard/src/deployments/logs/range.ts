/** The time range of a log, and its lines counted over that range. */
import type { LogEntry } from '@runyard/client'
import { z } from 'zod'
import { SPANS } from '../../shell/spans.ts'
import type { LogFilters } from './queries.ts'

const Moment = z.iso.datetime().optional().catch(undefined)

/** The range in the address. `from` and `to`, in ISO 8601, count only with `custom`. */
export const RangeSearch = z.object({
  within: z.enum(['quarter', 'hour', 'day', 'week', 'custom']).optional().catch(undefined),
  from: Moment,
  to: Moment,
})

/** First and last moment, as the control plane takes them; a missing one is open. */
export function rangeOf(
  { within, from, to }: z.infer<typeof RangeSearch>,
  now: number,
): Pick<LogFilters, 'start_time' | 'end_time'> {
  if (within === undefined) return {}
  if (within === 'custom') return { ...(from && { start_time: from }), ...(to && { end_time: to }) }
  return { start_time: new Date(now - SPANS[within].ms).toISOString() }
}

export interface Bucket {
  /** The first ms and the first ms after it, since 1970. */
  from: number
  to: number
  errors: number
  warnings: number
  others: number
}

const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
const STEPS_MS = [
  ...[0.1, 1, 5, 15, 30].map((seconds) => seconds * SECOND_MS),
  ...[1, 5, 15, 30, 60, 180, 360, 720, 1440, 10_080].map((minutes) => minutes * MINUTE_MS),
]
const MOST_BUCKETS = 70

/** Counts lines by level from `from` to `to`, in at most about 70 buckets of a round length. */
export function bucketsOf(entries: readonly LogEntry[], from: number, to: number): Bucket[] {
  const span = Math.max(to - from, 1)
  const step = STEPS_MS.find((ms) => span / ms <= MOST_BUCKETS) ?? Math.ceil(span / MOST_BUCKETS)
  const first = Math.floor(from / step) * step
  const buckets = Array.from({ length: Math.floor((to - first) / step) + 1 }, (_, index) => {
    const start = first + index * step
    return { from: start, to: start + step, errors: 0, warnings: 0, others: 0 }
  })
  for (const { timestamp, level } of entries) {
    const bucket = buckets[Math.floor((Date.parse(timestamp) - first) / step)]
    if (!bucket) continue
    if (level === 'ERROR' || level === 'CRITICAL') bucket.errors++
    else if (level === 'WARNING') bucket.warnings++
    else bucket.others++
  }
  return buckets
}
