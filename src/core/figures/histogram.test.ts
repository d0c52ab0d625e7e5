import { expect, it } from 'vitest'
import {
  addHistogram,
  type Histogram,
  histogramSince,
  noTimes,
  percentilesOf,
  recordDurations,
} from './histogram.ts'

function histogramOf(...seconds: number[]): Histogram {
  const durations = recordDurations()
  for (const one of seconds) durations.add(one)
  return durations.read()
}

/** As an earlier version stored it. */
function withoutExtremes({ counts, sum }: Histogram): Histogram {
  return { counts, sum }
}

function sumOf(...histograms: Histogram[]): Histogram {
  const sum = noTimes()
  for (const one of histograms) addHistogram(sum, one)
  return sum
}

it('has no percentiles without durations', () => {
  expect(percentilesOf(histogramOf())).toBeNull()
})

it.each([0, 0.0004, 0.001, 1, 1.02, 3600, 5000])('is exact about one duration: %s s', (one) => {
  expect(percentilesOf(histogramOf(one))).toEqual({ count: 1, p50: one, p95: one, p99: one })
})

it('has no percentile above the longest duration or below the shortest', () => {
  const few = Array.from({ length: 16 }, (_, index) => 0.129 + index * 0.008)
  const { p50 = 0, p99 = 0, p95 = 0 } = percentilesOf(histogramOf(...few)) ?? {}
  expect(p99).toBeLessThanOrEqual(0.249)
  expect(p95).toBeCloseTo(0.241, 2)
  expect(p50).toBeCloseTo(0.189, 2)
  const wide = percentilesOf(histogramOf(0.02, 1.02, 4000, 5000))
  expect(wide).toMatchObject({ p50: 2.5, p99: 4972 })
})

it('has the extremes of several servers and steps together', () => {
  const sum = sumOf(histogramOf(1.1, 1.3), noTimes(), histogramOf(0.7), histogramOf(1.2))
  expect(sum.extremes).toEqual({ count: 4, min: 0.7, max: 1.3 })
})

it('has the extremes of what was added since the reading before', () => {
  const durations = recordDurations()
  durations.add(2.3)
  const before = durations.read()
  durations.add(1.02)
  const now = durations.read()
  expect(percentilesOf(histogramSince(before, now))).toMatchObject({ count: 1, p50: 1.02 })
  expect(percentilesOf(histogramSince(now, durations.read()))).toBeNull()
})

it('estimates within the ranges where a reading was lost', () => {
  const durations = recordDurations()
  const before = durations.read()
  durations.add(2.3)
  durations.read()
  durations.add(1.02)
  const since = histogramSince(before, durations.read())
  expect(percentilesOf(since)).toMatchObject({ count: 2, p50: 1.75 })
})

it('estimates within the ranges where an earlier version has stored some', () => {
  const old = withoutExtremes(histogramOf(1.02))
  expect(percentilesOf(old)).toMatchObject({ p50: 1.75 })
  const sum = sumOf(old, histogramOf(0.7))
  expect(sum.extremes).toEqual({ count: 2, min: 0.7, max: 2.5 })
  expect(sumOf(sum, histogramOf(4.2)).extremes).toEqual({ count: 3, min: 0.7, max: 4.2 })
  expect(percentilesOf(withoutExtremes(histogramOf(5000)))).toMatchObject({ p50: 3600 })
})
