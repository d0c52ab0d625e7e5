/** Whether a fuzz run was worth something. */
import { expect } from 'vitest'
import type { Tally } from './fuzz.ts'

/**
 * A request that is refused at the door tests the door: two in three operations let some in. Some
 * never do (`push-token` of a source that has none), others only after a lucky one before them.
 */
export function expectReach(tally: Tally): void {
  const closed = neverAccepted(tally)
  const told = `operations that only ever refused, of ${tally.size}: ${closed.join(', ')}`
  expect(closed.length, told).toBeLessThanOrEqual(tally.size / 3)
}

/** The operations that took no request. */
export function neverAccepted(tally: Tally): string[] {
  return [...tally].filter(([, { accepted }]) => accepted === 0).map(([name]) => name)
}
