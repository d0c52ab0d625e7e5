import { expect, it } from 'vitest'
import { backoffMs, DEFAULT_BACKOFF } from './backoff.ts'

it('restarts at once the first time, then waits twice as long each time, up to ten seconds', () => {
  const waits = [0, 1, 2, 3, 7, 8, 100].map((inARow) => backoffMs(inARow, DEFAULT_BACKOFF))
  expect(waits).toEqual([0, 100, 200, 400, 6400, 10_000, 10_000])
})
