import { setImmediate } from 'node:timers/promises'
import * as fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { claimRun } from '../../test/support/claim-run.ts'
import { NoticeHub } from '../../test/support/notice-hub.ts'
import { RunWorld } from '../../test/support/run-world.ts'
import type { AgentStore } from '../core/agent/agent-store.ts'
import type { CheckpointPut } from '../core/agent/checkpoint.ts'
import {
  END_EVENT,
  type EventStore,
  isEnd,
  type RunEvent,
  type ThreadEvent,
} from '../core/agent/event.ts'
import type { Lease, QueuedRun } from '../core/agent/run.ts'
import { systemClock, timestamp } from '../core/clock.ts'
import { silentLog } from '../core/log.ts'
import { EventLog, type EventLogParts } from './event-log.ts'

let world: RunWorld
const forever = new AbortController().signal

beforeEach(async () => {
  world = await RunWorld.open()
})

afterEach(() => world.close())

function openLog(parts: Partial<EventLogParts> = {}): EventLog {
  const isLocal = () => true
  return new EventLog({ store: world.store, isLocal, clock: systemClock, log: silentLog, ...parts })
}

/** A run that executes, and its lease. */
async function claimed(): Promise<{ run: QueuedRun; lease: Lease }> {
  await world.addRun()
  const now = systemClock.now()
  const claim = { server_id: 'this', now, lease_expires_at: now + 60_000 }
  const run = await claimRun(world.store, claim)
  if (!run) throw new Error('nothing to claim')
  return run
}

const values = (...data: number[]) => data.map((one) => ({ event: 'values', data: `${one}` }))

/** Ends the run as an executor does: with its end event, in one transaction. */
async function finish({ run, lease }: { run: QueuedRun; lease: Lease }): Promise<RunEvent[]> {
  return world.store.transaction(async (store) => {
    const to = { ...run, lease, created_at: systemClock.now() }
    const data = JSON.stringify({ status: 'success' })
    const logged = await store.events.append(to, [{ event: END_EVENT, data }])
    const updated_at = timestamp(systemClock)
    await store.runs.finish(lease, { status: 'success', error: null, updated_at })
    return logged ?? []
  })
}

/** The data of all events up to the end. */
async function readAll(log: EventLog, run_id: string, after = -1): Promise<string[]> {
  const data: string[] = []
  for await (const event of log.follow(run_id, { after, signal: forever })) {
    data.push(isEnd(event) ? 'end' : event.data)
  }
  return data
}

/** Begins to read the run's events as they come: others may wait. */
function readAlong(log: EventLog, { run }: { run: QueuedRun }): void {
  const stopping = new AbortController()
  onTestFinished(() => stopping.abort())
  const reading = log.follow(run.run_id, { after: -1, signal: stopping.signal })
  void reading.next().catch(() => {})
}

const idsOf = ({ run, lease }: { run: QueuedRun; lease: Lease }) => ({
  thread_id: run.thread_id,
  run_id: run.run_id,
  lease,
})

/** A run with a reader that has written in turn after turn: what comes next waits for the time between batches. */
async function pausing() {
  const batches: number[] = []
  const log = openLog({ store: { ...world.store, events: counted(batches) } })
  const one = await claimed()
  readAlong(log, one)
  // That time does not pass by itself.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  for (const at of [0, 1, 2]) await log.append(idsOf(one), values(at))
  return { batches, log, one }
}

describe('appending', () => {
  test('what is appended in one turn is one batch, in order', async () => {
    const batches: number[] = []
    const log = openLog({ store: { ...world.store, events: counted(batches) } })
    const one = await claimed()
    readAlong(log, one)
    const first = [log.append(idsOf(one), values(0, 1)), log.append(idsOf(one), values(2))]
    expect(await Promise.all(first)).toEqual([true, true])
    await log.append(idsOf(one), values(3))
    expect(batches).toEqual([3, 1])
    log.deliver(await finish(one))
    expect(await readAll(log, one.run.run_id)).toEqual(['0', '1', '2', '3', 'end'])
  })

  test('a lost lease writes nothing and shows nothing', async () => {
    const log = openLog()
    const one = await claimed()
    await log.append(idsOf(one), values(0))
    await world.store.runs.giveBack(one.lease)
    expect(await log.append(idsOf(one), values(1))).toBe(false)
    const now = systemClock.now()
    const claim = { server_id: 'other', now, lease_expires_at: now + 60_000 }
    const again = await claimRun(world.store, claim)
    log.deliver(await finish(again as { run: QueuedRun; lease: Lease }))
    expect(await readAll(log, one.run.run_id)).toEqual(['0', 'end'])
  })

  test('the failure of the database reaches who appended, and the next append works', async () => {
    const one = await claimed()
    let isBroken = true
    const append: EventStore['append'] = async (to, events) => {
      if (isBroken) throw new Error('disk full')
      return world.store.events.append(to, events)
    }
    const events = { ...world.store.events, append }
    const log = openLog({ store: { ...world.store, events } })
    await expect(log.append(idsOf(one), values(0))).rejects.toThrow('disk full')
    isBroken = false
    expect(await log.append(idsOf(one), values(0))).toBe(true)
  })

  test('what was appended behind a failure fails with it: the log has no gap', async () => {
    const one = await claimed()
    const { promise: broken, reject: breakIt } = Promise.withResolvers<never>()
    let isFirst = true
    const append: EventStore['append'] = async (to, events) => {
      if (!isFirst) return world.store.events.append(to, events)
      isFirst = false
      return broken
    }
    const log = openLog({ store: { ...world.store, events: { ...world.store.events, append } } })
    readAlong(log, one)
    const failing = expect(log.append(idsOf(one), values(0))).rejects.toThrow('disk full')
    await setImmediate()
    const behind = expect(log.append(idsOf(one), values(1))).rejects.toThrow('disk full')
    breakIt(new Error('disk full'))
    await Promise.all([failing, behind])
    expect(await world.store.events.read(one.run.run_id, -1, 10)).toEqual([])
  })

  test('what may wait goes with what comes next, or by itself when nothing comes', async () => {
    const batches: number[] = []
    const log = openLog({ store: { ...world.store, events: counted(batches) } })
    const one = await claimed()
    readAlong(log, one)
    const waiting = log.append(idsOf(one), values(0), { mayWait: true })
    await setImmediate()
    expect(batches).toEqual([])
    await log.append(idsOf(one), values(1))
    expect(await waiting).toBe(true)
    expect(batches).toEqual([2])
    expect(await log.append(idsOf(one), values(2), { mayWait: true })).toBe(true)
  })

  test('a run that writes in turn after turn waits for more, until somebody cannot', async () => {
    const { batches, log, one } = await pausing()
    const waiting = [3, 4, 5].map(async (at) => {
      for (let turn = 3; turn < at; turn += 1) await setImmediate()
      return log.append(idsOf(one), values(at))
    })
    for (let turn = 0; turn < 10; turn += 1) await setImmediate()
    expect(batches).toEqual([1, 1, 1])
    log.hurry(idsOf(one))
    expect(await Promise.all(waiting)).toEqual([true, true, true])
    expect(batches).toEqual([1, 1, 1, 3])
    const added = await world.store.events.read(one.run.run_id, -1, 10)
    expect(added.map(({ data }) => data)).toEqual(['0', '1', '2', '3', '4', '5'])
  })

  test('a run that was hurried since too much of it waited goes on waiting for more', async () => {
    const { batches, log, one } = await pausing()
    const tooMuch = log.append(idsOf(one), values(3))
    log.hurry(idsOf(one))
    await tooMuch
    const waiting = [4, 5].map((at) => log.append(idsOf(one), values(at)))
    for (let turn = 0; turn < 10; turn += 1) await setImmediate()
    expect(batches).toEqual([1, 1, 1, 1])
    vi.advanceTimersByTime(5)
    expect(await Promise.all(waiting)).toEqual([true, true])
    expect(batches).toEqual([1, 1, 1, 1, 2])
    // Nobody waits for the pause after the last batch.
    expect(await log.takeBack(idsOf(one))).toEqual({ events: [], puts: [] })
  })

  test('what is not being written yet can be taken back, after what is', async () => {
    const log = openLog()
    const one = await claimed()
    readAlong(log, one)
    const written = log.append(idsOf(one), values(0, 1))
    await setImmediate()
    const taken = log.append(idsOf(one), values(2))
    expect(await log.takeBack(idsOf(one))).toEqual({ events: values(2), puts: [] })
    expect(await Promise.all([written, taken])).toEqual([true, true])
    expect(await world.store.events.read(one.run.run_id, -1, 10)).toHaveLength(2)
    expect(await log.takeBack(idsOf(one))).toEqual({ events: [], puts: [] })
  })

  test('what somebody reads on another server does not wait', async () => {
    const hub = new NoticeHub()
    const log = openLog({ notices: hub.join() })
    log.start()
    onTestFinished(() => log.stop())
    const elsewhere = { store: await world.otherProcess(), isLocal: () => false }
    const far = openLog({ ...elsewhere, notices: hub.join() })
    const [one, other] = [await claimed(), await claimed()]
    // What may wait does not pass by itself.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    const waiting = log.append(idsOf(one), values(0))
    const reading = far.follow(one.run.run_id, { after: -1, signal: forever })
    void reading.next().catch(() => {})
    expect(await waiting).toBe(true)
    expect(await log.append(idsOf(one), values(1))).toBe(true)
    const ofThread = far.followThread(other.run.thread_id, { after: 0, signal: forever })
    void ofThread.next().catch(() => {})
    expect(await log.append(idsOf(other), values(2))).toBe(true)
  })

  test('stopping writes what was appended', async () => {
    const log = openLog()
    const one = await claimed()
    const isWritten = log.append(idsOf(one), values(0))
    await log.stop()
    expect(await isWritten).toBe(true)
    expect(await world.store.events.read(one.run.run_id, -1, 10)).toHaveLength(1)
    await log.stop()
  })
})

/** The events of the test world. They note the size of each batch. */
function counted(batches: number[]): EventStore {
  const { events } = world.store
  return {
    ...events,
    append: (to, batch) => {
      batches.push(batch.length)
      return events.append(to, batch)
    },
  }
}

describe('carrying a checkpoint along', () => {
  const checkpoint_id = '1f0-checkpoint'

  /** An empty checkpoint of the run. */
  function put({ run }: { run: QueuedRun }): CheckpointPut {
    const { thread_id, run_id } = run
    const checkpoint = {
      ...{ thread_id, checkpoint_ns: '', checkpoint_id, parent_checkpoint_id: null, run_id },
      checkpoint: { type: 'json', bytes: new TextEncoder().encode('{}') },
      metadata: {},
    }
    return { checkpoint, versions: {}, values: [] }
  }

  const isStored = async ({ run: { thread_id, run_id } }: { run: QueuedRun }) =>
    world.store.checkpoints.hasCheckpointOf(thread_id, run_id)

  test('both are written, in one transaction', async () => {
    const seen: unknown[] = []
    const transaction: AgentStore['transaction'] = async (...asked) => {
      const result = await world.store.transaction(...asked)
      seen.push(result)
      return result
    }
    const log = openLog({ store: { ...world.store, transaction } })
    const one = await claimed()
    const written = log.append(idsOf(one), values(0))
    expect(await log.carry(idsOf(one), put(one))).toBe(true)
    expect(await written).toBe(true)
    expect(seen).toMatchObject([[{ data: '0' }]])
    expect(await isStored(one)).toBe(true)
  })

  test('neither is where the lease was lost, or where one of them fails', async () => {
    const log = openLog()
    const one = await claimed()
    const failing = log.append(idsOf(one), values(0))
    const refused = log.carry(idsOf(one), { ...put(one), versions: 1n as never })
    await expect(refused).rejects.toThrow('BigInt')
    await expect(failing).rejects.toThrow('BigInt')
    await world.store.runs.giveBack(one.lease)
    const lost = log.append(idsOf(one), values(1))
    expect(await log.carry(idsOf(one), put(one))).toBe(false)
    expect(await lost).toBe(false)
    expect(await isStored(one)).toBe(false)
    expect(await world.store.events.read(one.run.run_id, -1, 10)).toEqual([])
    expect(await world.store.events.lastSeq(one.run.thread_id)).toBe(0)
  })

  test('waits for all who hold what is to be written, unless somebody is in a hurry', async () => {
    const batches: number[] = []
    const log = openLog({ store: { ...world.store, events: counted(batches) } })
    const one = await claimed()
    readAlong(log, one)
    const [first, second] = [log.hold(idsOf(one)), log.hold(idsOf(one))]
    const written = log.append(idsOf(one), values(0))
    for (const release of [first, first]) release()
    await turns(20)
    expect(batches).toEqual([])
    second()
    expect(await written).toBe(true)
    log.hold(idsOf(one))
    const hurried = log.append(idsOf(one), values(1))
    log.hurry(idsOf(one))
    expect(await hurried).toBe(true)
    expect(batches).toEqual([1, 1])
  })

  test('waits with what nobody reads as it comes, and is taken back with it', async () => {
    const batches: number[] = []
    const log = openLog({ store: { ...world.store, events: counted(batches) } })
    const one = await claimed()
    const { run_id, thread_id } = one.run
    const wait = { mayWait: true }
    const settled: unknown[] = [log.append(idsOf(one), values(0))]
    settled.push(log.carry(idsOf(one), put(one), wait))
    await turns(20)
    expect(batches).toEqual([])
    const { events, puts } = await log.takeBack(idsOf(one))
    expect(events).toEqual(values(0))
    expect(puts).toEqual([put(one)])
    expect(await Promise.all(settled)).toEqual([true, true])
    expect(await isStored(one)).toBe(false)
    // A place without an event is written too, and looks at the lease.
    const alone = log.carry(idsOf(one), put(one), wait)
    await log.settle({ thread_id })
    expect(await alone).toBe(true)
    expect(await isStored(one)).toBe(true)
    void log.append(idsOf(one), values(1))
    const reading = log.follow(run_id, { after: -1, signal: forever })
    expect(await reading.next()).toMatchObject({ value: { data: '1' } })
    await reading.return()
    await world.store.runs.giveBack(one.lease)
    expect(await log.carry(idsOf(one), put(one))).toBe(false)
  })
})

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await setImmediate()
}

describe('following', () => {
  test('a follower sees an event once it is in the store', async () => {
    const log = openLog()
    const one = await claimed()
    const { run_id } = one.run
    const following = log.follow(run_id, { after: -1, signal: forever })
    const first = following.next()
    await log.append(idsOf(one), values(7))
    expect(await first).toMatchObject({ value: { run_seq: 0, data: '7' } })
    const second = following.next()
    log.deliver(await finish(one))
    expect(await second).toMatchObject({ value: { event: END_EVENT } })
    expect(await following.next()).toEqual({ done: true, value: undefined })
  })

  test('while the run executes here the store is read once, not for each event', async () => {
    let reads = 0
    const events = counted([])
    const read: EventStore['read'] = (...query) => {
      reads += 1
      return events.read(...query)
    }
    const log = openLog({ store: { ...world.store, events: { ...events, read } } })
    const one = await claimed()
    const following = log.follow(one.run.run_id, { after: -1, signal: forever })
    for (let i = 0; i < 50; i += 1) {
      const next = following.next()
      await log.append(idsOf(one), values(i))
      expect(await next).toMatchObject({ value: { run_seq: i } })
    }
    await following.return()
    expect(reads).toBe(1)
  })

  test('what another process writes is seen, its end included', async () => {
    const writer = openLog({ store: await world.otherProcess() })
    const log = openLog({ isLocal: () => false })
    const one = await claimed()
    const all = readAll(log, one.run.run_id)
    const end = log.waitForEnd(one.run.run_id, forever)
    await writer.append(idsOf(one), values(0))
    await writer.append(idsOf(one), values(1))
    await finish(one)
    expect(await all).toEqual(['0', '1', 'end'])
    expect(await end).toEqual({ status: 'success' })
  })

  test('what is written while the store is being read is not passed over', async () => {
    const events = counted([])
    const one = await claimed()
    let isFirst = true
    const read: EventStore['read'] = async (...query) => {
      const page = await events.read(...query)
      if (!isFirst) return page
      isFirst = false
      await log.append(idsOf(one), values(0))
      log.deliver(await finish(one))
      return page
    }
    const log = openLog({ store: { ...world.store, events: { ...events, read } } })
    expect(await readAll(log, one.run.run_id)).toEqual(['0', 'end'])
  })

  test('a run that moves on to another process is followed there', async () => {
    let isHere = true
    const log = openLog({ isLocal: () => isHere })
    const writer = openLog({ store: await world.otherProcess() })
    const one = await claimed()
    const all = readAll(log, one.run.run_id)
    await log.append(idsOf(one), values(0))
    isHere = false
    await writer.append(idsOf(one), values(1))
    await finish(one)
    expect(await all).toEqual(['0', '1', 'end'])
  })

  test('a slow follower reads from the store what has left the ring', async () => {
    const log = openLog({ ring: { events: 3, chars: 1_000 } })
    const one = await claimed()
    const following = log.follow(one.run.run_id, { after: -1, signal: forever })
    const first = following.next()
    for (let i = 0; i < 200; i += 1) await log.append(idsOf(one), values(i))
    log.deliver(await finish(one))
    const seen = [(await first).value?.data]
    for await (const event of following) seen.push(event.data)
    expect(seen.slice(0, 200)).toEqual(Array.from({ length: 200 }, (_, i) => `${i}`))
    expect(seen).toHaveLength(201)
  })

  test('an end comes whatever was asked for', async () => {
    const log = openLog({ isLocal: () => false })
    const one = await claimed()
    await log.append(idsOf(one), values(0, 1))
    await finish(one)
    expect(await readAll(log, one.run.run_id, 0)).toEqual(['1', 'end'])
    expect(await readAll(log, one.run.run_id, 2)).toEqual(['end'])
    expect(await readAll(log, one.run.run_id, 99)).toEqual(['end'])
    expect(await log.waitForEnd(one.run.run_id, forever)).toEqual({ status: 'success' })
  })

  test('the end of a run whose events have expired is made up from its status', async () => {
    const log = openLog({ isLocal: () => false })
    const one = await claimed()
    await log.append(idsOf(one), values(0))
    await finish(one)
    await world.store.events.expire(systemClock.now() + 60_000)
    expect(await readAll(log, one.run.run_id)).toEqual(['end'])
    expect(await log.waitForEnd(one.run.run_id, forever)).toEqual({ status: 'success' })
  })

  test('a run that was removed has ended', async () => {
    const log = openLog({ isLocal: () => false })
    const run = await world.addRun()
    const end = log.waitForEnd(run.run_id, forever)
    await world.store.runs.delete(run.run_id)
    expect(await end).toEqual({ status: 'rolled_back' })
  })

  test('stopping ends a follower with an error, never as if the run had ended', async () => {
    const log = openLog()
    const { run } = await claimed()
    const following = readAll(log, run.run_id)
    const waiting = log.waitForEnd(run.run_id, forever)
    const refused = { code: 'unavailable' }
    const both = [
      expect(following).rejects.toMatchObject(refused),
      expect(waiting).rejects.toMatchObject(refused),
    ]
    await log.stop()
    await Promise.all(both)
    await expect(readAll(log, run.run_id)).rejects.toMatchObject(refused)
  })

  test('a follower that leaves is let go with its own reason', async () => {
    const log = openLog()
    const { run } = await claimed()
    const leaving = new AbortController()
    const end = log.waitForEnd(run.run_id, leaving.signal)
    leaving.abort(new Error('gone'))
    await expect(end).rejects.toThrow('gone')
  })
})

describe('following a thread', () => {
  /** The data of the next events. */
  async function take(count: number, events: AsyncIterator<ThreadEvent, void>): Promise<string[]> {
    const data: string[] = []
    while (data.length < count) {
      const { value } = await events.next()
      if (!value) break
      data.push(isEnd(value) ? 'end' : value.data)
    }
    return data
  }

  test('goes over runs, and over what is of none', async () => {
    const log = openLog()
    const one = await claimed()
    const { thread_id } = one.run
    const events = log.followThread(thread_id, { after: 0, signal: forever })
    const all = take(4, events)
    await log.append(idsOf(one), values(0))
    log.deliver(await finish(one))
    const to = { thread_id, created_at: systemClock.now() }
    await world.store.events.appendToThread(to, values(7))
    log.announceThread(thread_id)
    const next = { thread_id, run_id: crypto.randomUUID() }
    await log.append(next, values(1))
    expect(await all).toEqual(['0', 'end', '7', '1'])
    await events.return()
  })

  test('from its begin on, a thread that does not exist yet costs one look', async () => {
    const looks: string[] = []
    const noted = <Key extends 'lastSeq' | 'readThread'>(name: Key) =>
      ((...asked: Parameters<EventStore[Key]>) => {
        looks.push(name)
        return (world.store.events[name] as (...given: unknown[]) => unknown)(...asked)
      }) as EventStore[Key]
    const events = {
      ...world.store.events,
      lastSeq: noted('lastSeq'),
      readThread: noted('readThread'),
    }
    const log = openLog({ store: { ...world.store, events } })
    const from = { after: 0, isAwaited: true, signal: forever }
    const followed = log.followThread(crypto.randomUUID(), from)
    void followed.next().catch(() => {})
    await setImmediate()
    expect(looks).toEqual(['readThread'])
    await log.stop()
  })

  test('after a number that was not given yet shows what comes from now on', async () => {
    const log = openLog()
    const one = await claimed()
    await log.append(idsOf(one), values(0))
    const events = log.followThread(one.run.thread_id, { after: 99, signal: forever })
    const first = take(1, events)
    // Its position is read before this is written: reads and writes on one connection are in order.
    await log.append(idsOf(one), values(1))
    expect(await first).toEqual(['1'])
    await events.return()
  })

  test('is ended by the removal of the thread, and cut by the stop of the log', async () => {
    const log = openLog()
    const [one, other] = [await claimed(), await claimed()]
    const follow = ({ run }: { run: QueuedRun }) =>
      take(1, log.followThread(run.thread_id, { after: 0, signal: forever }))
    const [ended, cut] = [follow(one), follow(other)]
    await world.store.threads.delete(one.run.thread_id)
    expect(await ended).toEqual([])
    const refused = expect(cut).rejects.toMatchObject({ code: 'unavailable' })
    await log.stop()
    await refused
  })
})

/** One step in a world where one run writes, and clients come, go and resume. */
type Step = { kind: 'append'; count: number } | { kind: 'join'; after: number } | { kind: 'turn' }

const steps = fc.array(
  fc.oneof<[fc.Arbitrary<Step>, fc.Arbitrary<Step>, fc.Arbitrary<Step>]>(
    fc.record({ kind: fc.constant('append'), count: fc.integer({ min: 1, max: 8 }) }),
    fc.record({ kind: fc.constant('join'), after: fc.integer({ min: -1, max: 60 }) }),
    fc.record({ kind: fc.constant('turn') }),
  ),
  { maxLength: 30 },
)
const rings = fc.record({
  events: fc.integer({ min: 1, max: 20 }),
  chars: fc.integer({ min: 1, max: 40 }),
})

test('every follower sees each event after its number once, in order, and then the end', async () => {
  await fc.assert(
    fc.asyncProperty(steps, rings, fc.boolean(), async (plan, ring, isHere) => {
      const log = openLog({ ring, isLocal: () => isHere })
      const one = await claimed()
      const followers: { after: number; data: Promise<string[]> }[] = []
      const writes: Promise<boolean>[] = []
      let written = 0
      for (const step of plan) {
        if (step.kind === 'append') {
          const events = values(...Array.from({ length: step.count }, () => written++))
          writes.push(log.append(idsOf(one), events))
        } else if (step.kind === 'join') {
          followers.push({ after: step.after, data: readAll(log, one.run.run_id, step.after) })
        } else {
          await setImmediate()
        }
      }
      await Promise.all(writes)
      log.deliver(await finish(one))
      followers.push({ after: -1, data: readAll(log, one.run.run_id) })
      const all = Array.from({ length: written }, (_, i) => `${i}`)
      for (const { after, data } of followers) {
        expect(await data).toEqual([...all.slice(after + 1), 'end'])
      }
    }),
    { numRuns: 100 },
  )
})
