import { setImmediate } from 'node:timers/promises'
import * as fc from 'fast-check'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { claimRun } from '../../test/support/agent/claim-run.ts'
import { RunWorld } from '../../test/support/agent/run-world.ts'
import { forEachTest } from '../../test/support/running.ts'
import {
  END_EVENT,
  type EventStore,
  isEnd,
  type NewEvent,
  type RunEvent,
  type ThreadEvent,
} from '../core/agent/event.ts'
import type { Lease, QueuedRun } from '../core/agent/run.ts'
import { systemClock, timestamp } from '../core/clock.ts'
import { silentLog } from '../core/log.ts'
import { EventLog, type EventLogParts } from './event-log.ts'

const forever = new AbortController().signal

const world = forEachTest(() => RunWorld.open())

function openLog(parts: Partial<EventLogParts> = {}): EventLog {
  const isLocal = () => true
  return new EventLog({ store: world.store, isLocal, clock: systemClock, log: silentLog, ...parts })
}

interface Claimed {
  run: QueuedRun
  lease: Lease
}

/** A run that executes, and its lease. */
async function claimed(): Promise<Claimed> {
  await world.addRun()
  const now = systemClock.now()
  const claim = { server_id: 'this', now, lease_expires_at: now + 60_000 }
  const run = await claimRun(world.store, claim)
  if (!run) throw new Error('nothing to claim')
  return run
}

const values = (...data: number[]) => data.map((one) => ({ event: 'values', data: `${one}` }))

/** Ends the run as an executor does: with its end event, in one transaction. */
async function finish({ run, lease }: Claimed): Promise<RunEvent[]> {
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

/** Has a run write on the log, and waits until it is written. */
async function append(
  log: EventLog,
  { run, lease }: Claimed,
  events: NewEvent[],
): Promise<boolean> {
  const { thread_id, run_id } = run
  const writing = log.openRun({ thread_id, run_id, lease })
  writing.append(events)
  try {
    return await writing.flush()
  } finally {
    writing.stop()
  }
}

describe('writing', () => {
  test('runs that write soon write together', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const log = openLog()
    const runs = [await claimed(), await claimed()].map(({ run, lease }) => {
      const { thread_id, run_id } = run
      return log.openRun({ thread_id, run_id, lease })
    })
    for (const run of runs) {
      run.begin(values(0))
      vi.advanceTimersByTime(4)
    }
    const eventsOf = async () => {
      const all = runs.map(({ to }) => world.store.events.read(to.run_id, -1, 10))
      return (await Promise.all(all)).map(({ length }) => length)
    }
    expect(await eventsOf()).toEqual([0, 0])
    vi.advanceTimersByTime(2)
    await log.settle({})
    expect(await eventsOf()).toEqual([1, 1])
  })

  test('stopping writes what was added', async () => {
    const log = openLog()
    const one = await claimed()
    const { thread_id, run_id } = one.run
    log.openRun({ thread_id, run_id, lease: one.lease }).begin(values(0))
    await log.stop()
    expect(await world.store.events.read(run_id, -1, 10)).toHaveLength(1)
    await log.stop()
  })
})

describe('following', () => {
  test('a follower sees an event once it is in the store', async () => {
    const log = openLog()
    const one = await claimed()
    const { run_id } = one.run
    const following = log.follow(run_id, { after: -1, signal: forever })
    const first = following.next()
    await append(log, one, values(7))
    expect(await first).toMatchObject({ value: { run_seq: 0, data: '7' } })
    const second = following.next()
    log.deliver(await finish(one))
    expect(await second).toMatchObject({ value: { event: END_EVENT } })
    expect(await following.next()).toEqual({ done: true, value: undefined })
  })

  test('while the run executes here the store is read once, not for each event', async () => {
    let reads = 0
    const { events } = world.store
    const read: EventStore['read'] = (...query) => {
      reads += 1
      return events.read(...query)
    }
    const log = openLog({ store: { ...world.store, events: { ...events, read } } })
    const one = await claimed()
    const following = log.follow(one.run.run_id, { after: -1, signal: forever })
    for (let i = 0; i < 50; i += 1) {
      const next = following.next()
      await append(log, one, values(i))
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
    await append(writer, one, values(0))
    await append(writer, one, values(1))
    await finish(one)
    expect(await all).toEqual(['0', '1', 'end'])
    expect(await end).toEqual({ status: 'success' })
  })

  test('what is written while the store is being read is not passed over', async () => {
    const { events } = world.store
    const one = await claimed()
    let isFirst = true
    const read: EventStore['read'] = async (...query) => {
      const page = await events.read(...query)
      if (!isFirst) return page
      isFirst = false
      await append(log, one, values(0))
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
    await append(log, one, values(0))
    isHere = false
    await append(writer, one, values(1))
    await finish(one)
    expect(await all).toEqual(['0', '1', 'end'])
  })

  test('an end comes whatever was asked for', async () => {
    const log = openLog({ isLocal: () => false })
    const one = await claimed()
    await append(log, one, values(0, 1))
    await finish(one)
    expect(await readAll(log, one.run.run_id, 0)).toEqual(['1', 'end'])
    expect(await readAll(log, one.run.run_id, 2)).toEqual(['end'])
    expect(await readAll(log, one.run.run_id, 99)).toEqual(['end'])
    expect(await log.waitForEnd(one.run.run_id, forever)).toEqual({ status: 'success' })
  })

  test('the end of a run whose events have expired is made up from its status', async () => {
    const log = openLog({ isLocal: () => false })
    const one = await claimed()
    await append(log, one, values(0))
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
  async function take(count: number, pages: AsyncIterator<readonly ThreadEvent[], void>) {
    const data: string[] = []
    while (data.length < count) {
      const { value } = await pages.next()
      if (!value) break
      data.push(...value.map((event) => (isEnd(event) ? 'end' : event.data)))
    }
    return data
  }

  test('goes over runs, and over what is of none', async () => {
    const log = openLog()
    const one = await claimed()
    const { thread_id } = one.run
    const events = log.followThreadPages(thread_id, { after: 0, signal: forever })
    const all = take(4, events)
    await append(log, one, values(0))
    log.deliver(await finish(one))
    const to = { thread_id, created_at: systemClock.now() }
    await world.store.events.appendToThread(to, values(7))
    log.announceThread(thread_id)
    const next = log.openRun({ thread_id, run_id: crypto.randomUUID() })
    next.append(values(1))
    await next.flush()
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
    const followed = log.followThreadPages(crypto.randomUUID(), from)
    void followed.next().catch(() => {})
    await setImmediate()
    expect(looks).toEqual(['readThread'])
    await log.stop()
  })

  test('after a number that was not given yet shows what comes from now on', async () => {
    const log = openLog()
    const one = await claimed()
    await append(log, one, values(0))
    const events = log.followThreadPages(one.run.thread_id, { after: 99, signal: forever })
    const first = take(1, events)
    // Its position is read before this is written: reads and writes on one connection are in order.
    await append(log, one, values(1))
    expect(await first).toEqual(['1'])
    await events.return()
  })

  test('is ended by the removal of the thread, and cut by the stop of the log', async () => {
    const log = openLog()
    const [one, other] = [await claimed(), await claimed()]
    const follow = ({ run }: { run: QueuedRun }) =>
      take(1, log.followThreadPages(run.thread_id, { after: 0, signal: forever }))
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
      const { thread_id, run_id } = one.run
      const writing = log.openRun({ thread_id, run_id, lease: one.lease })
      let written = 0
      for (const step of plan) {
        if (step.kind === 'append') {
          const events = values(...Array.from({ length: step.count }, () => written++))
          writing.append(events)
        } else if (step.kind === 'join') {
          followers.push({ after: step.after, data: readAll(log, one.run.run_id, step.after) })
        } else {
          await setImmediate()
        }
      }
      await writing.flush()
      writing.stop()
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
