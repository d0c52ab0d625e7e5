import { expect, it } from 'vitest'
import { CronScheduler } from '../src/agent-server/crons/scheduler.ts'
import { systemClock } from '../src/core/clock.ts'
import { silentLog } from '../src/core/log.ts'
import { currentOrigin, type Origin, withOrigin } from '../src/core/origin.ts'

it('goes with the chain of calls, and takes the place of the one around', async () => {
  expect(currentOrigin()).toEqual({})
  const seen = await withOrigin({ request_id: 'a', thread_id: 't' }, async () => {
    await Promise.resolve()
    return [currentOrigin(), withOrigin({ request_id: 'b' }, currentOrigin)]
  })
  expect(seen).toEqual([{ request_id: 'a', thread_id: 't' }, { request_id: 'b' }])
})

it('does not stick to what a request has only woken', async () => {
  const origins: Origin[] = []
  const looked = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const fire = async () => {
    origins.push(currentOrigin())
    looked[origins.length - 1]?.resolve()
  }
  const nextDue = async () => undefined
  const scheduler = new CronScheduler({ nextDue, clock: systemClock, log: silentLog })
  scheduler.start(fire)
  await looked[0]?.promise
  await new Promise((resolve) => setImmediate(resolve))
  withOrigin({ request_id: 'a' }, () => scheduler.wake())
  await looked[1]?.promise
  expect(origins).toEqual([{}, {}])
  await scheduler.stop()
})
