/** Counts by name, and what becomes of them over time. */
import type { Histogram } from './histogram.ts'

/** How many of each; a name that is not there stands for none. */
export type Counts = Record<string, number>

export function totalOf(counts: Counts): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0)
}

/** Puts the other counts into `sum`. */
export function addCounts(sum: Counts, other: Counts): void {
  for (const name in other) sum[name] = (sum[name] ?? 0) + (other[name] ?? 0)
}

/** What was counted since `before`. Counts that have become smaller began anew. */
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

/** Puts the other one into `sum`. */
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
