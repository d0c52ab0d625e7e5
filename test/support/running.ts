/** What tests need running: it starts before them and is stopped after them. */
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'

type Stoppable = { stop(): unknown } | { close(): unknown }

/**
 * Starts one for all tests of the file, or of the `describe` that the call is in. The result stands for the one that
 * runs: its members throw outside of hooks and tests. Several are stopped in the reverse order. `limitMs`: how long the
 * start may take; default: as long as every hook.
 */
export function forAllTests<T extends Stoppable>(start: () => Promise<T>, limitMs?: number): T {
  return standIn(start, (work) => beforeAll(work, limitMs), afterAll)
}

/** The same with a new one for each test. */
export function forEachTest<T extends Stoppable>(start: () => Promise<T>, limitMs?: number): T {
  return standIn(start, (work) => beforeEach(work, limitMs), afterEach)
}

type Hook = (work: () => Promise<void>) => void

function standIn<T extends Stoppable>(start: () => Promise<T>, before: Hook, after: Hook): T {
  let running: T | undefined
  before(async () => {
    running = await start()
  })
  after(async () => {
    const last = running
    running = undefined
    if (last) await ('stop' in last ? last.stop() : last.close())
  })
  const current = () => {
    if (running) return running
    throw new Error('It runs only within hooks and tests.')
  }
  return new Proxy({} as T, {
    get(_, name) {
      const one = current()
      const value = Reflect.get(one, name)
      return typeof value === 'function' ? value.bind(one) : value
    },
    set: (_, name, value) => Reflect.set(current(), name, value),
    has: (_, name) => Reflect.has(current(), name),
    ownKeys: () => Reflect.ownKeys(current()),
    getOwnPropertyDescriptor: (_, name) => Reflect.getOwnPropertyDescriptor(current(), name),
  })
}
