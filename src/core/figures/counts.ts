/** Counts by name, and their changes over time. */
import type { Histogram } from './histogram.ts'

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
