import { expect } from 'vitest'

/** An assertion on what comes about in its own time; it is looked at again for half a minute. */
export function eventually<T>(read: () => T, { interval = 20 } = {}) {
  return expect.poll(read, { timeout: 30_000, interval })
}
