import { expect } from 'vitest'

/** An assertion on what comes about in its own time; it is looked at again as long as `expect.poll` does. */
export function eventually<T>(read: () => T, { interval = 20 } = {}) {
  return expect.poll(read, { interval })
}
