/** Histograms of durations, and counts by name: their sums and their increases. */

/** The upper bounds of the ranges, in s. Longer durations count for `+Inf`. */
export const TIME_BOUNDS = [
  ...[0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900, 3600],
] as const

export interface Histogram {
  /** By upper bound: how many durations fall between it and the bound before. Only counts above 0. */
  counts: Record<string, number>
  /** The sum of all durations, in s. */
  sum: number
  /** Valid only if its `count` is the number of all durations. Absent: none, or stored by an earlier version. */
  extremes?: Extremes
}

interface Extremes {
  /** How many durations these are about. */
  count: number
  /** In s. */
  min: number
  max: number
}

export const noTimes = (): Histogram => ({ counts: {}, sum: 0 })

/** Durations of one kind since the process started. */
export interface Durations {
  /** Adds one, in s. */
  add(seconds: number): void
  /** All so far, with the extremes of those since the last reading. */
  read(): Histogram
}

export function recordDurations(): Durations {
  const all = noTimes()
  let latest = noTimes()
  return {
    add(measured) {
      // Clocks of two servers may differ.
      const seconds = Math.max(measured, 0)
      const bound = TIME_BOUNDS.find((one) => seconds <= one) ?? '+Inf'
      latest.counts[bound] = (latest.counts[bound] ?? 0) + 1
      latest.sum += seconds
      const { count, min, max } = latest.extremes ?? { count: 0, min: seconds, max: seconds }
      const [least, most] = [Math.min(min, seconds), Math.max(max, seconds)]
      latest.extremes = { count: count + 1, min: least, max: most }
    },
    read() {
      const { extremes } = latest
      addHistogram(all, latest)
      latest = noTimes()
      return { counts: { ...all.counts }, sum: all.sum, ...(extremes && { extremes }) }
    },
  }
}

export interface Percentiles {
  count: number
  /** In s; estimated within the range that it falls into, and between the smallest and the largest duration. */
  p50: number
  p95: number
  p99: number
}

/** `null`: the histogram is empty. */
export function percentilesOf(histogram: Histogram): Percentiles | null {
  const count = totalOf(histogram.counts)
  if (count === 0) return null
  const extremes = extremesOf(histogram)
  const at = (share: number) => quantile(histogram, extremes, share * count)
  return { count, p50: at(0.5), p95: at(0.95), p99: at(0.99) }
}

function quantile({ counts }: Histogram, { min, max }: Extremes, rank: number): number {
  const clamp = (seconds: number) => Math.min(Math.max(seconds, min), max)
  let below = 0
  let lower = 0
  for (const bound of TIME_BOUNDS) {
    const here = counts[bound] ?? 0
    const from = clamp(lower)
    if (here > 0 && below + here >= rank)
      return from + (clamp(bound) - from) * ((rank - below) / here)
    below += here
    lower = bound
  }
  const here = counts['+Inf'] ?? 0
  const from = clamp(lower)
  return here > 0 ? from + (max - from) * ((rank - below) / here) : max
}

/** The extremes of all durations; if they are not known, the bounds of the ranges with durations. */
function extremesOf({ counts, extremes }: Histogram): Extremes {
  const count = totalOf(counts)
  if (extremes?.count === count) return extremes
  const last = TIME_BOUNDS.length - 1
  const first = TIME_BOUNDS.findIndex((bound) => counts[bound])
  const largest = counts['+Inf'] ? last : TIME_BOUNDS.findLastIndex((bound) => counts[bound])
  const min = first < 0 ? (TIME_BOUNDS[last] as number) : (TIME_BOUNDS[first - 1] ?? 0)
  return { count, min, max: TIME_BOUNDS[largest] ?? 0 }
}

/** How many of each; a missing name means none. */
export type Counts = Record<string, number>

export function totalOf(counts: Counts): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0)
}

/** Adds the other counts to `sum`. */
export function addCounts(sum: Counts, other: Counts): void {
  for (const name in other) sum[name] = (sum[name] ?? 0) + (other[name] ?? 0)
}

/** The increase since `before`. A count that became smaller was reset. */
export function countsSince(before: Counts | undefined, now: Counts): Counts {
  const since: Counts = {}
  for (const [name, count] of Object.entries(now)) {
    const more = numberSince(before?.[name], count)
    if (more > 0) since[name] = more
  }
  return since
}

export function numberSince(before: number | undefined, now: number): number {
  return before === undefined || now < before ? now : now - before
}

/** Adds the other one to `sum`. */
export function addHistogram(sum: Histogram, other: Histogram): void {
  const [one, two] = [extremesOf(sum), extremesOf(other)]
  if (two.count === 0) return
  addCounts(sum.counts, other.counts)
  sum.sum += other.sum
  const count = one.count + two.count
  const [min, max] = [Math.min(one.min, two.min), Math.max(one.max, two.max)]
  sum.extremes = one.count === 0 ? two : { count, min, max }
}

/** The increase since `before`. If a reading in between was lost, `now` has the extremes of fewer durations. */
export function histogramSince(before: Histogram | undefined, now: Histogram): Histogram {
  return {
    ...(now.extremes && { extremes: now.extremes }),
    counts: countsSince(before?.counts, now.counts),
    sum: numberSince(before?.sum, now.sum),
  }
}
