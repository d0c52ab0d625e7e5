import { expect, test } from 'vitest'
import { sizeAfter } from './follower.ts'

test.each([
  [100, 256],
  [10_000, 26],
  [1_000_000, 1],
])('after events of %i characters a page has %i', (chars, expected) => {
  const page = Array.from({ length: 3 }, () => ({ event: 'values', data: 'x'.repeat(chars) }))
  expect(sizeAfter(page, 262_144)).toBe(expected)
})
