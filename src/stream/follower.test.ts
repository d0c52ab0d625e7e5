import { expect, test } from 'vitest'
import { PageSize } from './follower.ts'

const events = (count: number, chars: number) =>
  Array.from({ length: count }, () => ({ event: 'values', data: 'x'.repeat(chars) }))

test.each([
  [100, 256],
  [10_000, 26],
  [1_000_000, 1],
])('after events of %i characters a page has %i', (chars, expected) => {
  const size = new PageSize(262_144)
  size.learn(events(3, chars))
  expect(size.events).toBe(expected)
})

test('an empty page teaches nothing', () => {
  const size = new PageSize(262_144)
  size.learn(events(2, 1_000_000))
  size.learn([])
  expect(size.events).toBe(1)
})
