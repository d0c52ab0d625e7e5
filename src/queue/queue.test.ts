import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { aCheckpoint } from '../../test/support/agent/agent-records.ts'
import { claimRun } from '../../test/support/agent/claim-run.ts'
import { NoticeHub } from '../../test/support/agent/notice-hub.ts'
import { RunWorld } from '../../test/support/agent/run-world.ts'
import { pause } from '../../test/support/processes/pause.ts'
import { MAX_RUN_ATTEMPTS } from '../core/agent/retry.ts'
import {
  type CancelAction,
  FIRST_TOKEN,
  type Lease,
  type QueuedRun,
  type RunStatus,
} from '../core/agent/run.ts'
import { systemClock, timestamp } from '../core/clock.ts'
import { HostAway, HostLost } from '../core/errors.ts'
import { silentLog } from '../core/log.ts'
import { othersSent } from '../core/turn.ts'
import { type StopReason, stopReasonOf } from './execution.ts'
import { hostId } from './host-processes.ts'
import type { Place } from './places.ts'
import { Queue, type QueueParts, type QueueWork } from './queue.ts'

let world: RunWorld
const queues: Queue[] = []
const children: ChildProcess[] = []

beforeEach(async () => {
  world = await RunWorld.open()
})

afterEach(async () => {
  for (const child of children.splice(0)) await kill(child)
  await Promise.all(queues.splice(0).map((queue) => queue.stop({ graceMs: 0 })))
  await world.close()
})

/** Waits for something that shows outside this process, or after a few turns of its event loop. */
const eventually = (check: () => unknown) => vi.waitFor(check, { timeout: 30_000, interval: 5 })

/** Executes a run, and need not tell whether it has ended. */
type Work = (...claimed: Parameters<QueueWork['execute']>) => Promise<unknown>

/** A started queue. Without `pollMs` it looks only when it is woken. */
async function startQueue({
  execute,
  onExhausted = async () => {},
  ...parts
}: Partial<QueueParts & Pick<QueueWork, 'onExhausted'>> & { execute: Work }) {
  const queue = new Queue({
    store: world.store,
    server: { server_id: randomUUID(), host: hostId(), pid: process.pid },
    concurrency: 4,
    pollMs: 60_000,
    clock: systemClock,
    log: silentLog,
    ...parts,
  })
  queues.push(queue)
  await queue.start({
    execute: async (...claimed) => {
      await execute(...claimed)
      return { isEnded: false, isNextWaiting: true }
    },
    onExhausted,
  })
  return queue
}

async function finish(lease: Lease, status: RunStatus = 'success'): Promise<boolean> {
  const end = { status, error: null, updated_at: timestamp(systemClock) }
  return world.store.runs.finish(lease, end)
}

/** Settles with the signal's reason. */
async function stopped(signal: AbortSignal): Promise<StopReason | undefined> {
  if (!signal.aborted) await once(signal, 'abort')
  return stopReasonOf(signal)
}

const untilStatus = (run: QueuedRun, status: RunStatus) =>
  eventually(async () => expect(await world.store.runs.get(run.run_id)).toMatchObject({ status }))

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
}

/** Executions that stop when they are told to, and note the reasons. */
function obedient() {
  const begun: QueuedRun[] = []
  const reasons: (StopReason | undefined)[] = []
  const execute: Work = async (run, lease, signal) => {
    begun.push(run)
    const reason = await stopped(signal)
    reasons.push(reason)
    if (reason?.kind === 'cancelled') await finish(lease, 'interrupted')
  }
  return { begun, reasons, execute }
}

describe('order', () => {
  test('never two at once on a thread, never more than the concurrency in all', async () => {
    const threads = [await world.addThread(), await world.addThread(), await world.addThread()]
    const runs: QueuedRun[] = []
    for (let i = 0; i < 30; i += 1) runs.push(await world.addRun(threads[i % 3]))
    const busy = new Map<string, number>()
    let most = 0
    let ended = 0
    const execute: Work = async (run, lease) => {
      expect(busy.has(run.thread_id)).toBe(false)
      busy.set(run.thread_id, 1)
      most = Math.max(most, busy.size)
      await new Promise((resolve) => setImmediate(resolve))
      busy.delete(run.thread_id)
      if (await finish(lease)) ended += 1
    }
    await startQueue({ execute, concurrency: 2 })
    await eventually(() => expect(ended).toBe(30))
    expect(most).toBe(2)
  })

  test('two servers on one database share the runs and do each once', async () => {
    const thread_id = await world.addThread()
    const runs: QueuedRun[] = []
    for (let i = 0; i < 20; i += 1) runs.push(await world.addRun(i % 2 ? thread_id : undefined))
    const done: string[] = []
    const execute: Work = async (run, lease) => {
      await new Promise((resolve) => setImmediate(resolve))
      if (await finish(lease)) done.push(run.run_id)
    }
    await startQueue({ execute, concurrency: 2, pollMs: 5 })
    await startQueue({ execute, concurrency: 2, pollMs: 5, store: await world.otherProcess() })
    await eventually(() => expect(done).toHaveLength(20))
    expect(new Set(done).size).toBe(20)
    const ofThread = runs.filter((run) => run.thread_id === thread_id).map((run) => run.run_id)
    expect(done.filter((id) => ofThread.includes(id))).toEqual(ofThread)
  })
})

describe('finding runs', () => {
  test('a run that was added is begun at the wake-up', async () => {
    const { begun, execute } = obedient()
    const queue = await startQueue({ execute })
    const run = await world.addRun()
    queue.wake()
    await eventually(() => expect(begun).toHaveLength(1))
    expect(begun[0]).toMatchObject({ run_id: run.run_id, status: 'running', attempt: 1 })
    expect(queue.isRunning(run.run_id)).toBe(true)
  })

  test('a run that another process added is found without a wake-up', async () => {
    const { begun, execute } = obedient()
    await startQueue({ execute, pollMs: 5 })
    await world.addRun()
    await eventually(() => expect(begun).toHaveLength(1))
  })

  test('a look that nobody has asked for claims nothing where nothing is pending', async () => {
    const { runs } = world.store
    const asked = { claim: 0, nextDue: 0 }
    const claim: typeof runs.claim = (...given) => {
      asked.claim += 1
      return runs.claim(...given)
    }
    const nextDue: typeof runs.nextDue = (now) => {
      asked.nextDue += 1
      return runs.nextDue(now)
    }
    const { begun, execute } = obedient()
    const store = { ...world.store, runs: { ...runs, claim, nextDue } }
    await startQueue({ execute, pollMs: 5, store })
    await eventually(() => expect(asked.nextDue).toBeGreaterThan(10))
    expect(asked.claim).toBe(1)
    await world.addRun()
    await eventually(() => expect(begun).toHaveLength(1))
  })

  test('a delayed run begins when it is due', async () => {
    const begunAt: number[] = []
    const execute: Work = async (_run, lease) => {
      begunAt.push(systemClock.now())
      await finish(lease)
    }
    const available_at = systemClock.now() + 80
    await world.addRun(undefined, { available_at })
    await startQueue({ execute })
    await eventually(() => expect(begunAt).toHaveLength(1))
    expect(begunAt[0]).toBeGreaterThanOrEqual(available_at)
  })

  test('all that there is room for is begun with one look, however many are claimed at a time', async () => {
    for (let i = 0; i < 10; i += 1) await world.addRun()
    const { begun, execute } = obedient()
    await startQueue({ concurrency: 9, execute })
    await eventually(() => expect(begun).toHaveLength(9))
  })

  test('a claim that finds as many as it asks for is followed by one of twice as many', async () => {
    const { runs } = world.store
    for (let i = 0; i < 40; i += 1) await world.addRun()
    const counts: number[] = []
    const claim: typeof runs.claim = async (from, count) => {
      counts.push(count)
      return runs.claim(from, count)
    }
    const { begun, execute } = obedient()
    const store = { ...world.store, runs: { ...runs, claim } }
    await startQueue({ store, concurrency: 100, execute })
    await eventually(() => expect(begun).toHaveLength(40))
    expect(counts.slice(0, 4)).toEqual([4, 8, 16, 32])
  })

  test('a delayed run that becomes due just after a look begins all the same', async () => {
    const { runs } = world.store
    let now = systemClock.now()
    const available_at = now + 80
    await world.addRun(undefined, { available_at })
    const claim: typeof runs.claim = async (...asked) => {
      const claimed = await runs.claim(...asked)
      now = available_at + 1
      return claimed
    }
    const begun: string[] = []
    const execute: Work = async (run, lease) => {
      begun.push(run.run_id)
      await finish(lease)
    }
    const store = { ...world.store, runs: { ...runs, claim } }
    await startQueue({ store, clock: { now: () => now }, execute })
    await eventually(() => expect(begun).toHaveLength(1))
  })
})

describe('a suspect', () => {
  /** Adds a run whose servers have died with all attempts but one. */
  async function addSuspect(): Promise<QueuedRun> {
    const run = await world.addRun()
    for (let attempt = 1; attempt < MAX_RUN_ATTEMPTS; attempt += 1) {
      const now = systemClock.now()
      const claim = { server_id: 'dead', now, lease_expires_at: now + 60_000 }
      await claimRun(world.store, { ...claim, only: 'others' })
      await world.store.runs.release({ now, dead_servers: ['dead'] })
    }
    return run
  }

  /** Executions that last until they are released. They note which ran at the same time. */
  function held() {
    const gates = new Map<string, () => void>()
    const beside: Record<string, number> = {}
    const execute: Work = async ({ run_id }, lease) => {
      const gate = Promise.withResolvers<void>()
      gates.set(run_id, gate.resolve)
      for (const each of gates.keys()) beside[each] = Math.max(beside[each] ?? 0, gates.size)
      await gate.promise
      gates.delete(run_id)
      await finish(lease)
    }
    const letGo = ({ run_id }: QueuedRun) => gates.get(run_id)?.()
    return { execute, beside, letGo, executes: (run: QueuedRun) => gates.has(run.run_id) }
  }

  test('executes alone: what comes later waits for its end', async () => {
    const suspects = [await addSuspect(), await addSuspect()]
    const { execute, beside, letGo, executes } = held()
    const queue = await startQueue({ execute })
    const [first, second] = suspects as [QueuedRun, QueuedRun]
    await eventually(() => expect(executes(first)).toBe(true))
    const others = [await world.addRun(), await world.addRun()]
    queue.wake()
    expect(queue.load).toMatchObject({ running: 1, isFull: true })
    letGo(first)
    await eventually(() => expect(others.every(executes)).toBe(true))
    for (const other of others) letGo(other)
    await eventually(() => expect(executes(second)).toBe(true))
    letGo(second)
    await untilStatus(second, 'success')
    expect(suspects.map(({ run_id }) => beside[run_id])).toEqual([1, 1])
  })

  test('waits for what executes, which nothing joins meanwhile; another server takes that', async () => {
    const { execute, beside, letGo, executes } = held()
    const queue = await startQueue({ execute })
    const busy = await world.addRun()
    queue.wake()
    await eventually(() => expect(executes(busy)).toBe(true))
    const suspect = await addSuspect()
    await eventually(() => expect(queue.load.isFull).toBe(true))
    letGo(busy)
    await eventually(() => expect(executes(suspect)).toBe(true))
    const there = held()
    const other = await world.addRun()
    await startQueue({ ...there, store: await world.otherProcess() })
    await eventually(() => expect(there.executes(other)).toBe(true))
    there.letGo(other)
    letGo(suspect)
    await untilStatus(suspect, 'success')
    expect(beside[suspect.run_id]).toBe(1)
  })

  test('has company after its time alone, and may then lose its server once more', async () => {
    const suspect = await addSuspect()
    const { execute, letGo, executes } = held()
    const queue = await startQueue({ execute, aloneMs: 1 })
    const other = await world.addRun()
    queue.wake()
    await eventually(() => expect([suspect, other].every(executes)).toBe(true))
    const freed = await world.store.runs.release({
      now: systemClock.now() + 60_000,
      dead_servers: [],
    })
    expect(freed.exhausted).toEqual([])
    expect(freed.released).toContain(suspect.run_id)
    for (const run of [suspect, other]) letGo(run)
  })

  test('has company all the same where the database was away when its time was over', async () => {
    const suspect = await addSuspect()
    const { execute, letGo, executes } = held()
    const { runs } = world.store
    let asked = 0
    const clear: typeof runs.clear = async (lease) => {
      asked += 1
      if (asked === 1) throw new Error('The database is away.')
      return runs.clear(lease)
    }
    const store = { ...world.store, runs: { ...runs, clear } }
    const queue = await startQueue({ execute, aloneMs: 1, store })
    await eventually(() => expect(asked).toBe(1))
    const other = await world.addRun()
    queue.wake()
    await eventually(() => expect([suspect, other].every(executes)).toBe(true))
    for (const run of [suspect, other]) letGo(run)
  })
})

describe('beside servers that tell', () => {
  test('a run that finds no room here is begun by another server, at its word', async () => {
    const hub = new NoticeHub()
    const [here, there] = [obedient(), obedient()]
    const queue = await startQueue({ ...here, concurrency: 1, notices: hub.join() })
    await startQueue({ ...there, notices: hub.join() })
    await world.addRun()
    queue.wake()
    await eventually(() => expect(here.begun).toHaveLength(1))
    expect(there.begun).toEqual([])
    const second = await world.addRun()
    queue.wake()
    await eventually(() => expect(there.begun).toMatchObject([{ run_id: second.run_id }]))
  })

  /** Servers with different graphs on one database. `work` is what they do with a run before its end. */
  function versions(work: (run: QueuedRun) => Promise<void> = async () => {}) {
    const hub = new NoticeHub()
    const begun: string[] = []
    const start = (name: string, graphs: string[]) =>
      startQueue({
        server: { server_id: name, host: hostId(), pid: process.pid, graphs },
        notices: hub.join(),
        execute: async (run, lease) => {
          begun.push(`${run.metadata.graph_id} on ${name}`)
          await work(run)
          await finish(lease)
        },
      })
    return { begun, start }
  }

  test('runs of graphs that only one of two servers has are executed by that one', async () => {
    const { begun, start } = versions()
    const old = await start('old', ['both', 'removed'])
    const add = async (graph_id: string) => world.addRun(undefined, { metadata: { graph_id } })
    const young = await start('new', ['both', 'added'])
    // It has not seen the new server yet; a graph that nobody has is executed by any server.
    for (const graph_id of ['added', 'removed', 'nowhere']) {
      const run = await add(graph_id)
      old.wake()
      await untilStatus(run, 'success')
    }
    expect(begun).toEqual(['added on new', 'removed on old', 'nowhere on old'])
    await old.stop({ graceMs: 0 })
    const { run_id } = await add('removed')
    await eventually(async () => {
      young.wake()
      expect(await world.store.runs.get(run_id)).toMatchObject({ status: 'success', attempt: 1 })
    })
    expect(begun.at(-1)).toBe('removed on new')
  })

  test('a run behind one of another graph is begun at once by who has its graph', async () => {
    const gate = Promise.withResolvers<void>()
    const { begun, start } = versions(async ({ metadata }) => {
      if (metadata.graph_id === 'removed') await gate.promise
    })
    const young = await start('new', ['added'])
    const old = await start('old', ['removed'])
    const thread_id = await world.addThread()
    await world.addRun(thread_id, { metadata: { graph_id: 'removed' } })
    old.wake()
    await eventually(() => expect(begun).toEqual(['removed on old']))
    const behind = await world.addRun(thread_id, { metadata: { graph_id: 'added' } })
    young.wake()
    gate.resolve()
    await untilStatus(behind, 'success')
    expect(begun).toEqual(['removed on old', 'added on new'])
  })

  test('a line of runs that only another server can execute holds up nobody behind it', async () => {
    const now = systemClock.now()
    const other = { server_id: 'other', host: 'elsewhere', pid: 1, graphs: ['added'] }
    const started_at = new Date(now).toISOString()
    await world.store.servers.register({ ...other, started_at, seen_at: now })
    const theirs = { metadata: { graph_id: 'added' } }
    // More runs than are claimed at a time.
    for (let i = 0; i < 10; i += 1) await world.addRun(undefined, theirs)
    const own = await world.addRun(undefined, { metadata: { graph_id: 'both' } })
    const { begun, execute } = obedient()
    const server = { server_id: 'old', host: hostId(), pid: process.pid, graphs: ['both'] }
    await startQueue({ server, execute })
    await eventually(() => expect(begun).toMatchObject([{ run_id: own.run_id }]))
  })

  test('what cannot be left to another server keeps no other run from beginning', async () => {
    const { servers } = world.store
    let isAway = false
    const list: typeof servers.list = async () => {
      if (isAway) throw new Error('the connection is lost')
      return servers.list()
    }
    const begun: string[] = []
    const queue = await startQueue({
      store: { ...world.store, servers: { ...servers, list } },
      server: { server_id: 'old', host: hostId(), pid: process.pid, graphs: ['both'] },
      execute: async (run, lease) => {
        begun.push(`${run.metadata.graph_id}, attempt ${run.attempt}`)
        await finish(lease)
      },
    })
    isAway = true
    await world.addRun(undefined, { metadata: { graph_id: 'added' } })
    const own = await world.addRun(undefined, { metadata: { graph_id: 'both' } })
    queue.wake()
    await untilStatus(own, 'success')
    expect(begun).toEqual(['both, attempt 1'])
  })

  test('a run that a server hands back as it stops is begun by another at once', async () => {
    const hub = new NoticeHub()
    const [here, there] = [obedient(), obedient()]
    const queue = await startQueue({ ...here, notices: hub.join() })
    const run = await world.addRun()
    queue.wake()
    await eventually(() => expect(here.begun).toHaveLength(1))
    await startQueue({ ...there, notices: hub.join() })
    await queue.stop({ graceMs: 0 })
    await eventually(() => expect(there.begun).toMatchObject([{ run_id: run.run_id }]))
  })

  test('a cancel reaches the server that executes the run, before its lease is renewed', async () => {
    const hub = new NoticeHub()
    const { begun, reasons, execute } = obedient()
    const queue = await startQueue({ execute, notices: hub.join() })
    const other = await startQueue({ ...obedient(), concurrency: 0, notices: hub.join() })
    const run = await world.addRun()
    queue.wake()
    await eventually(() => expect(begun).toHaveLength(1))
    await world.store.runs.requestCancel(run.run_id, 'interrupt')
    expect(other.cancelLocal(run.run_id, 'interrupt')).toBe(false)
    await untilStatus(run, 'interrupted')
    expect(reasons).toEqual([{ kind: 'cancelled', action: 'interrupt' }])
    expect(hub.told.at(-1)).toEqual({ kind: 'cancel', run_id: run.run_id })
  })
})

describe('cancelling', () => {
  test('a run that executes here is told at once', async () => {
    const { begun, reasons, execute } = obedient()
    const queue = await startQueue({ execute })
    const run = await world.addRun()
    queue.wake()
    await eventually(() => expect(begun).toHaveLength(1))
    expect(queue.cancelLocal(run.run_id, 'rollback')).toBe(true)
    await untilStatus(run, 'interrupted')
    expect(reasons).toEqual([{ kind: 'cancelled', action: 'rollback' }])
  })

  test('a run that does not execute here is not', async () => {
    const queue = await startQueue(obedient())
    expect(queue.cancelLocal(randomUUID(), 'interrupt')).toBe(false)
  })

  test('a run that is cancelled while it is being claimed is told when it begins', async () => {
    const { reasons, execute } = obedient()
    const run = await world.addRun()
    const queue = await startQueue({ execute })
    queue.cancelLocal(run.run_id, 'interrupt')
    await untilStatus(run, 'interrupted')
    expect(reasons).toEqual([{ kind: 'cancelled', action: 'interrupt' }])
  })

  test('a request from another process is heeded at the renewal of the lease', async () => {
    const { begun, reasons, execute } = obedient()
    const run = await world.addRun()
    await startQueue({ execute, leaseMs: 300 })
    await eventually(() => expect(begun).toHaveLength(1))
    const other = await world.otherProcess()
    expect(await other.runs.requestCancel(run.run_id, 'interrupt')).toBe(true)
    await untilStatus(run, 'interrupted')
    expect(reasons).toEqual([{ kind: 'cancelled', action: 'interrupt' }])
  })

  /** A pending run whose server died after this was asked of it. */
  async function abandoned(action: CancelAction): Promise<QueuedRun> {
    const run = await world.addRun()
    const now = systemClock.now()
    await claimRun(world.store, { server_id: 'dead', now, lease_expires_at: now + 1 })
    await world.store.runs.requestCancel(run.run_id, action)
    await world.store.runs.release({ now, dead_servers: ['dead'] })
    return run
  }

  test('a run whose server died after the request begins stopped', async () => {
    const run = await abandoned('interrupt')
    const { reasons, execute } = obedient()
    await startQueue({ execute })
    await untilStatus(run, 'interrupted')
    expect(reasons).toEqual([{ kind: 'cancelled', action: 'interrupt' }])
  })

  test('such a run that is to be rolled back begins stopped too', async () => {
    await abandoned('rollback')
    const { reasons, execute } = obedient()
    await startQueue({ execute })
    await eventually(() => expect(reasons[0]).toEqual({ kind: 'cancelled', action: 'rollback' }))
  })
})

describe('leases', () => {
  test('a run is kept for longer than its lease while it executes', async () => {
    const { begun, execute } = obedient()
    const run = await world.addRun()
    // The run is due by then.
    let now = systemClock.now()
    const clock = { now: () => now }
    const { runs } = world.store
    const renewals: number[] = []
    const renew: typeof runs.renew = async (leases, expiresAt) => {
      const states = await runs.renew(leases, expiresAt)
      renewals.push(expiresAt)
      return states
    }
    const store = { ...world.store, runs: { ...runs, renew } }
    const queue = await startQueue({ execute, leaseMs: 300, clock, store })
    await eventually(() => expect(begun).toHaveLength(1))
    const expiry = now + 300
    now += 200
    await eventually(() => expect(renewals.at(-1)).toBeGreaterThan(expiry))
    now = expiry + 1
    const freed = await runs.release({ now, dead_servers: [] })
    expect(freed).toEqual({ released: [], exhausted: [] })
    expect(queue.isRunning(run.run_id)).toBe(true)
  })

  test('an execution whose lease was lost is told to stop, and can end the run no more', async () => {
    const other = await world.otherProcess()
    let isEnded: boolean | undefined
    const reasons: unknown[] = []
    const begun = Promise.withResolvers<void>()
    const execute: Work = async (_run, lease, signal) => {
      begun.resolve()
      reasons.push(await stopped(signal))
      isEnded = await finish(lease)
    }
    const run = await world.addRun()
    const queue = await startQueue({ execute, leaseMs: 300 })
    await begun.promise
    const now = systemClock.now() + 60_000
    const claim = { server_id: 'other', now, lease_expires_at: now + 60_000 }
    const taken = await other.transaction(async (store) => {
      await store.runs.release({ now, dead_servers: [] })
      return claimRun(store, claim)
    })
    expect(taken?.run.run_id).toBe(run.run_id)
    await eventually(() => expect(isEnded).toBe(false))
    expect(reasons).toEqual([{ kind: 'lease_lost' }])
    expect(queue.isRunning(run.run_id)).toBe(false)
    expect(await other.runs.get(run.run_id)).toMatchObject({ status: 'running', attempt: 2 })
  })

  test('a run that no execution ends is tried again, and given up after its attempts', async () => {
    const attempts: number[] = []
    const exhausted: string[] = []
    await world.addRun()
    await startQueue({
      execute: async (run) => {
        attempts.push(run.attempt)
        throw new Error('broken')
      },
      onExhausted: async (run, lease) => {
        exhausted.push(run.run_id)
        await finish(lease, 'error')
      },
      leaseMs: 30,
    })
    await eventually(() => expect(exhausted).toHaveLength(1))
    expect(attempts).toEqual(Array.from({ length: MAX_RUN_ATTEMPTS }, (_, index) => index + 1))
    expect(await world.store.runs.get(exhausted[0] ?? '')).toMatchObject({ status: 'error' })
  })
})

describe('stopping', () => {
  test('waits for what executes', async () => {
    const gate = Promise.withResolvers<void>()
    const begun = Promise.withResolvers<void>()
    const execute: Work = async (_run, lease) => {
      begun.resolve()
      await gate.promise
      await finish(lease)
    }
    const run = await world.addRun()
    const queue = await startQueue({ execute })
    await begun.promise
    const isStopped = queue.stop({ graceMs: 60_000 })
    const later = await world.addRun()
    queue.wake()
    gate.resolve()
    await isStopped
    expect(await world.store.runs.get(run.run_id)).toMatchObject({ status: 'success' })
    expect(await world.store.runs.get(later.run_id)).toMatchObject({ status: 'pending' })
    await queue.stop({ graceMs: 60_000 })
  })

  test('hands over what is not done in time: another server takes it, as the same attempt', async () => {
    const thread_id = await world.addThread()
    const [first, second] = [await world.addRun(thread_id), await world.addRun(thread_id)]
    const old = obedient()
    const queue = await startQueue({ execute: old.execute })
    await eventually(() => expect(old.begun).toHaveLength(1))
    await queue.stop({ graceMs: 0 })
    expect(old.reasons).toEqual([{ kind: 'shutdown' }])
    expect(await world.store.runs.get(first.run_id)).toMatchObject({ status: 'pending' })
    const begun: QueuedRun[] = []
    const execute: Work = async (run, lease) => {
      begun.push(run)
      await finish(lease)
    }
    await startQueue({ execute })
    await untilStatus(second, 'success')
    expect(begun).toMatchObject([
      { run_id: first.run_id, attempt: 1 },
      { run_id: second.run_id, attempt: 1 },
    ])
  })

  test('hands over at the next checkpoint, each run at its own', async () => {
    const { begun, reasons, execute } = obedient()
    const [first, second] = [await world.addRun(), await world.addRun()]
    const put = ({ run_id, thread_id }: QueuedRun) =>
      world.store.checkpoints.put(aCheckpoint({ thread_id, run_id }), {}, [])
    const looked = new Set<string>()
    const latestId: typeof world.store.checkpoints.latestId = async (thread_id, ...rest) => {
      const latest = await world.store.checkpoints.latestId(thread_id, ...rest)
      looked.add(thread_id)
      return latest
    }
    const store = { ...world.store, checkpoints: { ...world.store.checkpoints, latestId } }
    const queue = await startQueue({ execute, store })
    await eventually(() => expect(begun).toHaveLength(2))
    const isStopped = queue.stop({ graceMs: 0, checkpointMs: 60_000 })
    await eventually(() => expect(looked.size).toBe(2))
    await put(first)
    await untilStatus(first, 'pending')
    expect(await world.store.runs.get(second.run_id)).toMatchObject({ status: 'running' })
    await put(second)
    await isStopped
    expect(reasons).toEqual([{ kind: 'shutdown' }, { kind: 'shutdown' }])
    expect(await world.store.runs.get(second.run_id)).toMatchObject({ status: 'pending' })
  })

  test('is hurried by a second call with less time', async () => {
    const { begun, execute } = obedient()
    const run = await world.addRun()
    const queue = await startQueue({ execute })
    await eventually(() => expect(begun).toHaveLength(1))
    const isStopped = queue.stop({ graceMs: 600_000 })
    await queue.stop({ graceMs: 0 })
    await isStopped
    expect(await world.store.runs.get(run.run_id)).toMatchObject({ status: 'pending' })
  })

  test('does not wait for executions that do not heed', async () => {
    const begun = Promise.withResolvers<void>()
    const execute: Work = () => {
      begun.resolve()
      return new Promise(() => {})
    }
    const run = await world.addRun()
    const queue = await startQueue({ execute })
    await begun.promise
    await queue.stop({ graceMs: 0 })
    expect(await world.store.runs.get(run.run_id)).toMatchObject({ status: 'pending' })
  })
})

describe('a host that is not this process', () => {
  test('dies: its runs are tried again long before their leases run out, the last time alone', async () => {
    const [guilty, innocent] = [await world.addRun(), await world.addRun()]
    const exhausted: string[] = []
    let running = 0
    const beside: Record<string, number[]> = { [guilty.run_id]: [], [innocent.run_id]: [] }
    const both = Promise.withResolvers<void>()
    const died = [both, Promise.withResolvers<void>()]
    const execute: Work = async ({ run_id, attempt }, lease) => {
      running += 1
      try {
        const death = died[attempt - 1]
        beside[run_id]?.push(running)
        if (death && running === 2) death.resolve()
        await death?.promise
        if (death || run_id === guilty.run_id) throw new HostLost('The host has crashed.')
        await finish(lease)
      } finally {
        running -= 1
      }
    }
    const onExhausted = async (run: QueuedRun, lease: Lease) => {
      exhausted.push(run.run_id)
      await finish(lease, 'error')
    }
    await startQueue({ execute, onExhausted, leaseMs: 60_000 })
    await untilStatus(guilty, 'error')
    await untilStatus(innocent, 'success')
    expect(exhausted).toEqual([guilty.run_id])
    expect(await world.store.runs.get(innocent.run_id)).toMatchObject({ attempt: 3 })
    for (const counts of Object.values(beside)) expect(counts[2]).toBe(1)
  })

  test('is not there: the run is handed back, and nothing counts', async () => {
    const run = await world.addRun()
    const attempts: number[] = []
    const execute: Work = async ({ attempt }, lease) => {
      attempts.push(attempt)
      if (attempts.length < 5) throw new HostAway('It is being started.')
      await finish(lease)
    }
    await startQueue({ execute, leaseMs: 60_000 })
    await untilStatus(run, 'success')
    expect(attempts).toEqual([1, 1, 1, 1, 1])
  })
})

describe('beside a server in another process', () => {
  const script = fileURLToPath(
    new URL('../../test/support/agent/holding-server.ts', import.meta.url),
  )

  /** Such a server, and the lines that it prints. */
  function startHolding(leaseMs: number) {
    const args = [script, world.path, String(leaseMs)]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    children.push(child)
    const lines: string[] = []
    createInterface(child.stdout).on('line', (line) => lines.push(line))
    return { child, lines }
  }

  test('runs that it held when it was killed are taken up at a start, long before its leases run out', async () => {
    const thread_id = await world.addThread()
    const [first, second] = [await world.addRun(thread_id), await world.addRun(thread_id)]
    const { child, lines } = startHolding(60_000)
    await eventually(() => expect(lines).toEqual([`begun ${first.run_id}`]))
    await kill(child)
    const begun: QueuedRun[] = []
    const execute: Work = async (run, lease) => {
      begun.push(run)
      await finish(lease)
    }
    await startQueue({ execute })
    await untilStatus(second, 'success')
    expect(begun).toMatchObject([
      { run_id: first.run_id, attempt: 2 },
      { run_id: second.run_id, attempt: 1 },
    ])
    expect(await world.store.servers.list()).toHaveLength(1)
  })

  test('its death is noticed while running, long before its leases run out', async () => {
    const run = await world.addRun()
    const { child, lines } = startHolding(60_000)
    await eventually(() => expect(lines).toHaveLength(1))
    const { begun, execute } = obedient()
    await startQueue({ execute })
    expect(begun).toEqual([])
    await kill(child)
    await eventually(() => expect(begun).toMatchObject([{ run_id: run.run_id, attempt: 2 }]))
  })

  test('one that was paused for longer than its lease finds its run handed on', async () => {
    const run = await world.addRun()
    const { child, lines } = startHolding(500)
    await eventually(() => expect(lines).toHaveLength(1))
    await pause((signal) => child.kill(signal), world.path)
    const { begun, execute } = obedient()
    await startQueue({ execute })
    await eventually(() => expect(begun).toMatchObject([{ run_id: run.run_id, attempt: 2 }]))
    child.kill('SIGCONT')
    await eventually(() => expect(lines.at(-1)).toBe(`lease_lost ${run.run_id}`))
    expect(await world.store.runs.get(run.run_id)).toMatchObject({ status: 'running', attempt: 2 })
  })
})

test('nothing is claimed or gets a place while the queue is held, and what waits when it no longer is', async () => {
  const { begun, execute } = obedient()
  let isHeld = true
  let looks = 0
  const queue = await startQueue({
    execute,
    isHeld: () => {
      looks += 1
      return isHeld
    },
    pollMs: 5,
  })
  const run = await world.addRun()
  const before = looks
  await eventually(() => expect(looks).toBeGreaterThan(before + 2))
  expect(queue.reserve('agent')).toBeUndefined()
  expect(begun).toEqual([])
  isHeld = false
  queue.wake()
  await eventually(() => expect(begun).toMatchObject([{ run_id: run.run_id, attempt: 1 }]))
})

describe('a run that is added with a place', () => {
  /** Once the queue knows that nothing waits. */
  const aPlace = (queue: Queue) =>
    vi.waitFor(() => queue.reserve('agent') ?? expect.fail('there is no place yet'), {
      timeout: 30_000,
      interval: 5,
    })

  /** Adds it as its creator does. */
  async function add(place: Place | undefined): Promise<QueuedRun> {
    if (!place) expect.fail('there was no place')
    const run = await world.addRun(undefined, {}, place.claim)
    const { server_id } = place.claim
    place.begin({ run, lease: { run_id: run.run_id, server_id, token: FIRST_TOKEN } })
    return run
  }

  test('executes when its creator was answered, without a look for runs', async () => {
    const { begun, execute } = obedient()
    const store = { ...world.store, runs: Object.create(world.store.runs) }
    const queue = await startQueue({ execute, store })
    const place = await aPlace(queue)
    store.runs.claim = () => expect.fail('it looked')
    const run = await add(place)
    expect(queue.isRunning(run.run_id)).toBe(true)
    expect(begun).toEqual([])
    await othersSent()
    expect(begun).toEqual([run])
  })

  test('takes the place of others, until the place is left or the run has ended', async () => {
    const ends = new Map<string, () => void>()
    const execute: Work = async (run, lease) => {
      await new Promise<void>((resolve) => ends.set(run.run_id, resolve))
      await finish(lease)
    }
    const queue = await startQueue({ execute, concurrency: 2 })
    const place = await aPlace(queue)
    const first = await add(queue.reserve('agent'))
    expect(queue.reserve('agent')).toBeUndefined()
    place.leave()
    place.leave()
    const second = await add(queue.reserve('agent'))
    expect(queue.reserve('agent')).toBeUndefined()
    for (const { run_id } of [first, second]) ends.get(run_id)?.()
    const free = await aPlace(queue)
    free.leave()
  })

  test('gets none while older runs may wait', async () => {
    const held = Promise.withResolvers<void>()
    const begun: string[] = []
    const execute: Work = async ({ run_id }, lease) => {
      begun.push(run_id)
      if (begun.length === 1) await held.promise
      await finish(lease)
    }
    const queue = await startQueue({ execute, concurrency: 1 })
    await add(await aPlace(queue))
    const older = await world.addRun()
    queue.wake()
    expect(queue.reserve('agent')).toBeUndefined()
    held.resolve()
    await untilStatus(older, 'success')
    const free = await aPlace(queue)
    free.leave()
  })

  test('gets none for a graph that only others have', async () => {
    const server = { server_id: randomUUID(), host: hostId(), pid: process.pid, graphs: ['agent'] }
    const queue = await startQueue({ ...obedient(), server })
    const place = await aPlace(queue)
    expect(queue.reserve('foreign')).toBeUndefined()
    place.leave()
  })

  test('is told of a cancel that came before it began', async () => {
    const { reasons, execute } = obedient()
    const queue = await startQueue({ execute })
    const place = await aPlace(queue)
    const run = await world.addRun(undefined, {}, place.claim)
    expect(queue.cancelLocal(run.run_id, 'interrupt')).toBe(false)
    const { server_id } = place.claim
    place.begin({ run, lease: { run_id: run.run_id, server_id, token: FIRST_TOKEN } })
    await untilStatus(run, 'interrupted')
    expect(reasons).toEqual([{ kind: 'cancelled', action: 'interrupt' }])
  })

  test('is handed back by a server that stops meanwhile', async () => {
    const queue = await startQueue(obedient())
    const place = await aPlace(queue)
    const stopped = queue.stop({ graceMs: 0 })
    const run = await add(place)
    await stopped
    await untilStatus(run, 'pending')
    expect(await world.store.runs.get(run.run_id)).toMatchObject({ attempt: 0 })
  })
})
