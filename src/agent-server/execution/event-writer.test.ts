import { afterEach, beforeEach, expect, test } from 'vitest'
import { claimRun } from '../../../test/support/claim-run.ts'
import { RunWorld } from '../../../test/support/run-world.ts'
import type { EventStore, NewEvent } from '../../core/agent/event.ts'
import { systemClock } from '../../core/clock.ts'
import { silentLog } from '../../core/log.ts'
import { EventLog } from '../../stream/event-log.ts'
import { EventWriter } from './event-writer.ts'

let world: RunWorld
/** Of each append: it has been asked for, and it may be done. */
let begun: PromiseWithResolvers<void>[]
let gates: PromiseWithResolvers<void>[]

beforeEach(async () => {
  world = await RunWorld.open()
  begun = [Promise.withResolvers(), Promise.withResolvers()]
  gates = [Promise.withResolvers(), Promise.withResolvers()]
})
afterEach(() => world.close())

/** Its appends wait at the gates. */
function gated(): EventStore {
  let count = 0
  const { events } = world.store
  return {
    ...events,
    async append(to, told) {
      const place = count++
      begun[place]?.resolve()
      await gates[place]?.promise
      return events.append(to, told)
    },
  }
}

async function openWriter(): Promise<EventWriter> {
  await world.addRun()
  const now = systemClock.now()
  const claim = { server_id: 'this', now, lease_expires_at: now + 60_000 }
  const claimed = await claimRun(world.store, claim)
  if (!claimed) throw new Error('nothing to claim')
  const store = { ...world.store, events: gated() }
  const parts = { store, isLocal: () => true, clock: systemClock, log: silentLog }
  return new EventWriter(new EventLog(parts), claimed)
}

const many = (count: number): NewEvent[] =>
  Array.from({ length: count }, () => ({ event: 'custom', data: '1' }))

test('a graph goes on when a part of what it told is written', async () => {
  const writer = await openWriter()
  writer.begin(many(700))
  expect(writer.check()).toBe(true)
  await begun[0]?.promise
  writer.begin(many(700))
  const order: string[] = []
  const goesOn = Promise.resolve(writer.check()).then((isHeld) => {
    order.push('goes on')
    return isHeld
  })
  await Promise.resolve()
  expect(order).toEqual([])
  gates[0]?.resolve()
  expect(await goesOn).toBe(true)
  await begun[1]?.promise
  const flushed = writer.flush().then(() => order.push('all is written'))
  gates[1]?.resolve()
  await flushed
  expect(order).toEqual(['goes on', 'all is written'])
})

test('a graph that waits hears what a write failed with', async () => {
  const writer = await openWriter()
  writer.begin(many(700))
  await begun[0]?.promise
  writer.begin(many(700))
  const check = writer.check()
  gates[0]?.reject(new Error('the disk is full'))
  await expect(check).rejects.toThrow('the disk is full')
  await expect(writer.check()).rejects.toThrow('the disk is full')
})
