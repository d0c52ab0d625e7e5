import type { Clock } from '../../src/core/clock.ts'

/** The system's clock, but no two answers are the same: what is made after another is the newer one. */
export function strictClock(): Clock {
  let last = 0
  return {
    now() {
      last = Math.max(last + 1, Date.now())
      return last
    },
  }
}
