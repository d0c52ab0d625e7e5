import { setImmediate as others } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { Looks } from './looks.ts'

const NEVER_MS = 1_000_000

/** `end` ends the oldest look that is under way. */
function observed({ nextMs = NEVER_MS } = {}) {
  const seen: boolean[] = []
  const underWay: PromiseWithResolvers<number>[] = []
  const looks = new Looks((isPoll) => {
    seen.push(isPoll)
    const look = Promise.withResolvers<number>()
    underWay.push(look)
    return look.promise
  })
  const end = async () => {
    underWay.shift()?.resolve(nextMs)
    await others()
  }
  onTestFinished(async () => {
    const stopped = looks.stop()
    await end()
    await stopped
  })
  return { looks, seen, end }
}

test('requests during a look share the next one', async () => {
  const { looks, seen, end } = observed()
  for (let count = 0; count < 3; count++) looks.request()
  expect([seen, looks.isRunning]).toEqual([[false], true])
  await end()
  expect(seen).toEqual([false, false])
  await end()
  expect([seen.length, looks.isRunning]).toEqual([2, false])
})

test('a look under way is the last one after a stop', async () => {
  const { looks, seen, end } = observed()
  looks.request()
  looks.request()
  const stopped = looks.stop()
  await end()
  expect(seen).toEqual([false])
  await stopped
  looks.request()
  expect([seen, looks.isRunning]).toEqual([[false], false])
})

test('the next look comes from the timer', async () => {
  const { looks, seen, end } = observed({ nextMs: 1 })
  looks.request()
  await end()
  await expect.poll(() => seen, { interval: 1 }).toEqual([false, true])
})
