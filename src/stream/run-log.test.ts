import { setImmediate } from 'node:timers/promises'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { aCheckpoint } from '../../test/support/agent/agent-records.ts'
import { claimRun } from '../../test/support/agent/claim-run.ts'
import { RunWorld } from '../../test/support/agent/run-world.ts'
import { forEachTest } from '../../test/support/running.ts'
import type { AgentStore } from '../core/agent/agent-store.ts'
import type { CheckpointPut } from '../core/agent/checkpoint.ts'
import type { Lease } from '../core/agent/run.ts'
import { systemClock } from '../core/clock.ts'
import { silentLog } from '../core/log.ts'
import { EventLog } from './event-log.ts'
import type { RunLog } from './run-log.ts'

let events: EventLog
let lease: Lease
let log: RunLog
/** How many events and puts each transaction has written. */
let batches: [number, number][]
/** Called before each transaction. */
let gate: () => Promise<void>

const world = forEachTest(() => RunWorld.open())
beforeEach(async () => {
  batches = []
  gate = async () => {}
  const transaction: AgentStore['transaction'] = async (work, ...rest) => {
    await gate()
    return world.store.transaction(
      async (tx) => {
        let puts = 0
        const putAll: typeof tx.checkpoints.putAll = (all, ...held) => {
          puts = all.length
          return tx.checkpoints.putAll(all, ...held)
        }
        const result = await work({ ...tx, checkpoints: { ...tx.checkpoints, putAll } })
        batches.push([(result as unknown[]).length, puts])
        return result
      },
      ...rest,
    )
  }
  const store = { ...world.store, transaction }
  events = new EventLog({ store, isLocal: () => true, clock: systemClock, log: silentLog })
  await world.addRun()
  const now = systemClock.now()
  const claim = { server_id: 'this', now, lease_expires_at: now + 60_000 }
  const claimed = await claimRun(world.store, claim)
  if (!claimed) throw new Error('nothing to claim')
  lease = claimed.lease
  log = events.openRun({ thread_id: claimed.run.thread_id, run_id: claimed.run.run_id, lease })
})

const values = (...data: number[]) => data.map((one) => ({ event: 'values', data: `${one}` }))
const many = (count: number) =>
  Array.from({ length: count }, () => ({ event: 'custom', data: '1' }))

function put(checkpoint_id = '1f0-checkpoint'): CheckpointPut {
  const { thread_id, run_id } = log.to
  const checkpoint = aCheckpoint({ thread_id, checkpoint_ns: '', checkpoint_id, run_id })
  return { checkpoint, versions: {}, values: [] }
}

/** Time passes only by `vi.advanceTimersByTime`. */
function holdTime(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
}

async function turns(count = 20): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await setImmediate()
}

/** The data of all stored events. */
const stored = async () =>
  (await world.store.events.read(log.to.run_id, -1, 2_000)).map(({ data }) => data)
const isStored = () => world.store.checkpoints.hasCheckpointOf(log.to.thread_id, log.to.run_id)

test('the first event of the graph is written at once, with all that comes in its turn', async () => {
  holdTime()
  log.begin(values(0))
  await turns()
  expect(batches).toEqual([])
  log.append(values(1, 2))
  log.put(put())
  log.append(values(3))
  await vi.waitFor(() => expect(batches).toEqual([[4, 1]]))
  expect(await stored()).toEqual(['0', '1', '2', '3'])
})

test('what comes later is written 10 ms after the first of it', async () => {
  log.append(values(0))
  await log.flush()
  holdTime()
  log.append(values(1))
  await turns()
  vi.advanceTimersByTime(9)
  log.append(values(2))
  log.put(put())
  await turns()
  expect(batches).toEqual([[1, 0]])
  vi.advanceTimersByTime(1)
  await vi.waitFor(() =>
    expect(batches).toEqual([
      [1, 0],
      [2, 1],
    ]),
  )
})

test('much is written at once', async () => {
  log.append(values(0))
  await log.flush()
  holdTime()
  log.append([{ event: 'values', data: `"${'x'.repeat(131_072)}"` }])
  await vi.waitFor(() => expect(batches).toHaveLength(2))
})

test('what comes while a batch is written goes with the next one', async () => {
  const open = Promise.withResolvers<void>()
  gate = () => open.promise
  log.append(values(0))
  await turns()
  log.append(values(1))
  const flushed = [log.flush(), log.flush()]
  open.resolve()
  expect(await Promise.all(flushed)).toEqual([true, true])
  expect(batches).toEqual([
    [1, 0],
    [1, 0],
  ])
  expect(await stored()).toEqual(['0', '1'])
})

test('a lost lease writes nothing, neither events nor checkpoints', async () => {
  log.append(values(0))
  await log.flush()
  await world.store.runs.giveBack(lease)
  log.append(values(1))
  log.put(put())
  expect(await log.flush()).toBe(false)
  expect(log.hasPut()).toBe(false)
  expect(await log.room()).toBe(false)
  expect(await log.close()).toBeUndefined()
  expect(await stored()).toEqual(['0'])
  expect(await isStored()).toBe(false)
})

test('a checkpoint without an event looks at the lease too', async () => {
  await world.store.runs.giveBack(lease)
  log.put(put())
  expect(await log.flush()).toBe(false)
  expect(await isStored()).toBe(false)
})

test('a batch that fails is not written at all, and nothing behind it: the log has no gap', async () => {
  log.append(values(0))
  log.put({ ...put(), versions: 1n as never })
  const failing = expect(log.flush()).rejects.toThrow('BigInt')
  await turns(1)
  log.append(values(1))
  await failing
  await expect(log.flush()).rejects.toThrow('BigInt')
  expect(() => log.room()).toThrow('BigInt')
  await expect(log.close()).rejects.toThrow('BigInt')
  expect(await stored()).toEqual([])
  expect(await isStored()).toBe(false)
})

test('the end gets what is not being written yet, after what is', async () => {
  const open = Promise.withResolvers<void>()
  gate = () => open.promise
  log.append(values(0))
  await turns()
  log.append(values(1))
  log.put(put())
  const closed = log.close()
  open.resolve()
  expect(await closed).toEqual({ events: values(1), puts: [put()] })
  expect(await stored()).toEqual(['0'])
  log.append(values(2))
  expect(await log.flush()).toBe(false)
  expect(await stored()).toEqual(['0'])
})

test('a run that is left writes what it can, and nothing more', async () => {
  log.loaded('', undefined)
  log.append(values(0))
  log.append(values(1), { checkpoint_ns: '', checkpoint_id: 'never put' })
  log.stop()
  await vi.waitFor(async () => expect(await stored()).toEqual(['0']))
  await vi.waitFor(async () => expect(await log.flush()).toBe(false))
})

test('a graph goes on when a part of what it told is written', async () => {
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let begun = 0
  gate = async () => gates[begun++]?.promise
  log.append(many(700))
  expect(log.room()).toBe(true)
  await turns()
  log.append(many(700))
  const order: string[] = []
  const goesOn = Promise.resolve(log.room()).then((isHeld) => {
    order.push('goes on')
    return isHeld
  })
  await turns()
  expect(order).toEqual([])
  gates[0]?.resolve()
  expect(await goesOn).toBe(true)
  const flushed = log.flush().then(() => order.push('all is written'))
  gates[1]?.resolve()
  await flushed
  expect(order).toEqual(['goes on', 'all is written'])
})

test('a graph that waits hears what a write failed with', async () => {
  const open = Promise.withResolvers<void>()
  gate = () => open.promise
  log.append(many(700))
  await turns()
  log.append(many(700))
  const room = log.room()
  open.reject(new Error('the disk is full'))
  await expect(room).rejects.toThrow('the disk is full')
})

test('a graph whose checkpoints are large waits as well', async () => {
  const large = { channel: 'a', version: '1', type: 'json', bytes: new Uint8Array(9_000_000) }
  log.put({ ...put(), versions: { a: '1' }, values: [large] })
  const room = log.room()
  expect(room).toBeInstanceOf(Promise)
  expect(await room).toBe(true)
  expect(await isStored()).toBe(true)
})
