import { expect, test } from 'vitest'
import { newUuid } from './uuid.ts'

const TIME_AND_SEQUENCE =
  /^(?<time>[0-9a-f]{8}-[0-9a-f]{4})-7(?<high>[0-9a-f]{3})-(?<low>[89ab][0-9a-f]{3}-[0-9a-f]{3})/

/** The time in ms, and the bits of RFC 9562 that may count up: 12 after the version, and 20 after the variant. */
function partsOf(id: string) {
  const { time = '', high = '', low = '' } = TIME_AND_SEQUENCE.exec(id)?.groups ?? {}
  const hex = (text: string) => Number.parseInt(text.replace('-', ''), 16)
  // In `low`, the first 2 bits are the variant, and the last 6 are always random.
  return { ms: hex(time), sequence: hex(high) * 2 ** 20 + ((hex(low) >> 6) & 0xfffff) }
}

test('an id begins with its time', () => {
  const before = Date.now()
  const { ms } = partsOf(newUuid())
  expect(ms).toBeGreaterThanOrEqual(before)
  expect(ms).toBeLessThanOrEqual(Date.now())
})

test('ids of one millisecond do not count up', () => {
  const parts = Array.from({ length: 1000 }, () => partsOf(newUuid()))
  const pairs = parts.slice(1).map((one, i) => [parts[i], one] as const)
  const ofOneMs = pairs.filter(([last, one]) => last?.ms === one.ms)
  expect(ofOneMs.length).toBeGreaterThan(0)
  const countedUp = ofOneMs.filter(([last, one]) => one.sequence - (last?.sequence ?? 0) === 1)
  expect(countedUp).toEqual([])
})
