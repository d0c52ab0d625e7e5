import type { LogEntry } from '@runyard/client'
import { expect, test } from 'vitest'
import { bucketsOf, rangeOf } from './range.ts'

const NOON = Date.parse('2026-11-20T12:00:00.000Z')

function entry(ms: number, level: LogEntry['level'] = 'INFO'): LogEntry {
  return { id: String(ms), timestamp: new Date(NOON + ms).toISOString(), level, message: '' }
}

test('a range is a span until now, or two moments that may be open', () => {
  const from = '2026-11-20T11:00:00.000Z'
  expect(rangeOf({ within: 'hour' }, NOON)).toEqual({ start_time: from })
  expect(rangeOf({ within: 'custom', from }, NOON)).toEqual({ start_time: from })
  expect(rangeOf({ from }, NOON)).toEqual({})
})

test('lines are counted by level in buckets of a round length', () => {
  const lines = [entry(500), entry(60_000, 'ERROR'), entry(61_000, 'WARNING'), entry(3_599_999)]
  const buckets = bucketsOf(lines, NOON, NOON + 3_600_000)
  expect(buckets).toHaveLength(61)
  expect(buckets[0]).toMatchObject({ from: NOON, to: NOON + 60_000, others: 1 })
  expect(buckets[1]).toMatchObject({ errors: 1, warnings: 1, others: 0 })
  expect(buckets[59]).toMatchObject({ others: 1 })
})

test('one moment is one bucket, and lines outside the range do not count', () => {
  expect(bucketsOf([entry(0), entry(5_000)], NOON, NOON)).toEqual([
    { from: NOON, to: NOON + 100, errors: 0, warnings: 0, others: 1 },
  ])
})

test('years are few buckets too', () => {
  expect(bucketsOf([], NOON - 5e11, NOON).length).toBeLessThanOrEqual(71)
})
