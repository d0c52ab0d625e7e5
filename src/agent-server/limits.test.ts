import { expect, test } from 'vitest'
import { DEFAULT_LIMITS, PendingRuns } from './limits.ts'

const START = 1_000_000

/** Three runs may wait; `stored` is what the database counts. */
function line(stored: { waiting: number; delayed: number }) {
  let now = START
  let counts = 0
  const figures = async () => {
    counts += 1
    return { ...stored, running: 0, oldest_due_at: null } as never
  }
  const limits = { ...DEFAULT_LIMITS, maxPendingRuns: 3 }
  const pending = new PendingRuns({ figures }, { now: () => now }, limits)
  const pass = (ms: number) => {
    now += ms
  }
  return { pending, pass, countsOf: () => counts }
}

const REFUSAL = {
  code: 'too_many_requests',
  message: expect.stringContaining('RUNYARD_MAX_PENDING_RUNS'),
}

test('runs that wait and runs that are delayed fill the line, a batch as one', async () => {
  const { pending } = line({ waiting: 1, delayed: 1 })
  await expect(pending.requireRoom(2)).rejects.toMatchObject(REFUSAL)
  await pending.requireRoom(1)
})

test('a count is good for a second, and what was let in since is added to it', async () => {
  const stored = { waiting: 0, delayed: 0 }
  const { pending, pass, countsOf } = line(stored)
  await pending.requireRoom(1)
  stored.waiting = 3
  pass(999)
  await pending.requireRoom(1)
  expect(countsOf()).toBe(1)
  pass(1)
  await expect(pending.requireRoom(1)).rejects.toMatchObject(REFUSAL)
  expect(countsOf()).toBe(2)
})

test('nobody is refused by an old count', async () => {
  const stored = { waiting: 3, delayed: 0 }
  const { pending } = line(stored)
  await expect(pending.requireRoom(1)).rejects.toMatchObject(REFUSAL)
  stored.waiting = 0
  await pending.requireRoom(1)
})
