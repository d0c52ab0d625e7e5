import { describe, expect, test } from 'vitest'
import { bytesText, durationText, relativeText, shortId } from './format.ts'

describe('a duration', () => {
  test.each([
    [0, '0 ms'],
    [120.4, '120 ms'],
    [1_234, '1.2 s'],
    [72_000, '1 min 12 s'],
    [60_000, '1 min'],
    [3 * 86_400_000 + 4 * 3_600_000, '3 d 4 h'],
    [86_400_000 + 5_000, '1 d'],
  ])('of %d ms is %s', (ms, text) => expect(durationText(ms)).toBe(text))
})

describe('a moment', () => {
  test.each([
    [-3_000, 'now'],
    [-42_000, '40 sec. ago'],
    [-59_000, '50 sec. ago'],
    [-180_000, '3 min. ago'],
    [2 * 86_400_000, 'in 2 days'],
    [400 * 86_400_000, 'in 400 days'],
    [3_650 * 86_400_000, 'in 10 yr.'],
  ])('%d ms away is %s', (apart, text) => expect(relativeText(1e12 + apart, 1e12)).toBe(text))
})

test('bytes and ids are short', () => {
  expect([0, 999, 1_234_567, 415_000_000].map(bytesText)).toEqual([
    '0 B',
    '999 B',
    '1.2 MB',
    '415 MB',
  ])
  expect(shortId('1f0c2a44-0000-4000-8000-00000000 9b3e')).toBe('1f0c2a44…9b3e')
  expect(shortId('agent')).toBe('agent')
})
