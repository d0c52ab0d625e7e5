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
}

export interface Percentiles {
  count: number
  /** In s; estimated within the range that it falls into, as Prometheus does. */
  p50: number
  p95: number
  p99: number
}

/** `null`: the histogram is empty. */
export function percentilesOf(histogram: Histogram): Percentiles | null {
  const count = totalOf(histogram.counts)
  if (count === 0) return null
  const at = (share: number) => quantile(histogram, share * count)
  return { count, p50: at(0.5), p95: at(0.95), p99: at(0.99) }
}

function quantile({ counts }: Histogram, rank: number): number {
  let below = 0
  let lower = 0
  for (const bound of TIME_BOUNDS) {
    const here = counts[bound] ?? 0
    if (here > 0 && below + here >= rank) return lower + (bound - lower) * ((rank - below) / here)
    below += here
    lower = bound
  }
  return lower
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
  addCounts(sum.counts, other.counts)
  sum.sum += other.sum
}

export function histogramSince(before: Histogram | undefined, now: Histogram): Histogram {
  return {
    counts: countsSince(before?.counts, now.counts),
    sum: numberSince(before?.sum, now.sum),
  }
}
