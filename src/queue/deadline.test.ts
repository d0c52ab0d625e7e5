import { expect, test } from 'vitest'
import { Deadline } from './deadline.ts'

const timers = () => process.getActiveResourcesInfo().filter((one) => one === 'Timeout').length

test('one that nobody waits for any more keeps no process alive, whatever is said of it', () => {
  const before = timers()
  const deadline = new Deadline()
  deadline.within(60_000)
  expect(timers()).toBe(before + 1)
  deadline.clear()
  deadline.within(30_000)
  expect(timers()).toBe(before)
})
