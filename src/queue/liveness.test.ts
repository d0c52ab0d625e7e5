import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { beforeEach, describe, expect, test } from 'vitest'
import { claimRun, useUpAttempts } from '../../test/support/agent/claim-run.ts'
import { RunWorld } from '../../test/support/agent/run-world.ts'
import { freshPostgres } from '../../test/support/postgres/postgres.ts'
import { forEachTest } from '../../test/support/running.ts'
import type { QueuedRun } from '../core/agent/run.ts'
import type { ServerRecord } from '../core/agent/server/server.ts'
import { systemClock } from '../core/clock.ts'
import { silentLog } from '../core/log.ts'
import { hostId, isAlive, startedAt } from './host-processes.ts'
import { Liveness, type OnExhausted } from './liveness.ts'

let released: number

const world = forEachTest(() => RunWorld.open())
beforeEach(async () => {
  released = 0
})

/** Called for a run whose attempts are used up. */
const nobodyEnds: OnExhausted = async () => {}

function liveness(): Liveness {
  return new Liveness({
    store: world.store,
    server: { server_id: 'this', host: hostId(), pid: process.pid },
    onReleased: () => {
      released += 1
    },
    clock: systemClock,
    log: silentLog,
  })
}

/** Records another server, which holds a run. It is alive unless told otherwise. */
async function addServer(fields: Partial<ServerRecord>): Promise<QueuedRun> {
  const run = await world.addRun()
  const now = systemClock.now()
  const server_id = randomUUID()
  await world.store.servers.register({
    server_id,
    host: hostId(),
    pid: process.pid,
    started_at: new Date(now).toISOString(),
    seen_at: now,
    graphs: [],
    ...fields,
  })
  await claimRun(world.store, { server_id, now, lease_expires_at: now + 60_000 })
  return run
}

async function goneProcess(): Promise<number> {
  const child = spawn(process.execPath, ['--version'])
  await once(child, 'exit')
  return child.pid as number
}

const statusOf = async (run: QueuedRun) => (await world.store.runs.get(run.run_id))?.status
const ids = async () => (await world.store.servers.list()).map((one) => one.server_id)

test('a server whose process is gone loses its runs and its row', async () => {
  const run = await addServer({ pid: await goneProcess() })
  await liveness().start(nobodyEnds)
  expect(await statusOf(run)).toBe('pending')
  expect(await ids()).toEqual(['this'])
  expect(released).toBe(1)
})

test('a server whose pid is ours now is gone too', async () => {
  const run = await addServer({ started_at: new Date(performance.timeOrigin - 1).toISOString() })
  await liveness().start(nobodyEnds)
  expect(await statusOf(run)).toBe('pending')
})

test('a silent server whose pid belongs to a younger process is gone', async () => {
  const other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e6)'])
  await once(other, 'spawn')
  const started_at = new Date(systemClock.now() - 60_000).toISOString()
  const pid = other.pid as number
  const silent = await addServer({ pid, started_at, seen_at: systemClock.now() - 10_000 })
  const seen = await addServer({ pid, started_at })
  await liveness().start(nobodyEnds)
  expect(await statusOf(silent)).toBe('pending')
  expect(await statusOf(seen)).toBe('running')
  const gone = once(other, 'exit')
  other.kill()
  await gone
})

test('a server that lives keeps its runs', async () => {
  const sibling = await addServer({})
  const parent = await addServer({ pid: process.ppid })
  await liveness().start(nobodyEnds)
  expect(await statusOf(sibling)).toBe('running')
  expect(await statusOf(parent)).toBe('running')
  expect(released).toBe(0)
})

test('a server of another host keeps its runs until its leases run out', async () => {
  const run = await addServer({ host: 'elsewhere', pid: await goneProcess() })
  await liveness().start(nobodyEnds)
  expect(await statusOf(run)).toBe('running')
  expect(await ids()).toHaveLength(2)
})

describe.each([
  ['SQLite', undefined],
  ['PostgreSQL', freshPostgres],
])('on %s', (_name, findPlace) => {
  test('a run of a host that is gone stays there for its lease, and then goes on elsewhere', async () => {
    const shared = await RunWorld.open(findPlace)
    const run = await shared.addRun()
    const begin = run.available_at
    let now = begin
    const lost = { server_id: 'lost', host: 'a machine that is gone', pid: process.pid, graphs: [] }
    const started_at = new Date(begin).toISOString()
    await shared.store.servers.register({ ...lost, started_at, seen_at: begin })
    const taken = await claimRun(shared.store, {
      server_id: 'lost',
      now,
      lease_expires_at: begin + 15_000,
    })
    const here = new Liveness({
      store: await shared.otherProcess(),
      server: { server_id: 'here', host: hostId(), pid: process.pid },
      onReleased: () => {
        released += 1
      },
      clock: { now: () => now },
      log: silentLog,
    })
    await here.start(nobodyEnds)
    now = begin + 15_000
    await here.sweep()
    expect(released).toBe(0)
    now += 1
    await here.sweep()
    expect(released).toBe(1)

    const claim = { server_id: 'here', now, lease_expires_at: now + 15_000 }
    expect(await claimRun(shared.store, claim)).toMatchObject({
      run: { run_id: run.run_id, attempt: 2 },
    })
    const lease = taken?.lease ?? expect.fail('nothing claimed')
    expect(await shared.store.runs.holds(lease)).toBe(false)
    expect(await shared.store.runs.renew([lease], now + 60_000)).toMatchObject([{ held: false }])
    await here.stop()
    await shared.close()
  })
})

test('who could not look for a while takes nobody for lost whom it would have seen since', async () => {
  let now = systemClock.now()
  const started_at = new Date(now).toISOString()
  const other = { server_id: 'other', host: 'elsewhere', pid: 1, graphs: ['both', 'theirs'] }
  await world.store.servers.register({ ...other, started_at, seen_at: now })
  const here = new Liveness({
    store: world.store,
    server: { server_id: 'here', host: hostId(), pid: process.pid, graphs: ['both'] },
    onReleased: () => {},
    clock: { now: () => now },
    log: silentLog,
  })
  await here.start(nobodyEnds)
  expect(here.foreignGraphs).toEqual(['theirs'])
  // The database was away for all servers, and this one is the first to reach it again.
  now += 60_000
  await here.sweep()
  expect(here.foreignGraphs).toEqual(['theirs'])
  for (let second = 1; second <= 15; second += 1) {
    now += 1_000
    await here.sweep()
  }
  expect(here.foreignGraphs).toEqual([])
})

test('a run whose attempts are used up is handed out until it has ended', async () => {
  const run = await world.addRun()
  await useUpAttempts(world.store)
  const calls: string[] = []
  const one = liveness()
  await one.start(async (exhausted, lease) => {
    calls.push(exhausted.run_id)
    if (calls.length === 1) throw new Error('the database is busy')
    const end = { status: 'error' as const, error: null, updated_at: new Date().toISOString() }
    expect(await world.store.runs.finish(lease, end)).toBe(true)
  })
  expect(await statusOf(run)).toBe('running')
  await one.sweep()
  await one.sweep()
  expect(calls).toEqual([run.run_id, run.run_id])
  expect(await statusOf(run)).toBe('error')
})

test('a run whose attempts are used up is ended by a server that has its graph', async () => {
  const ended: string[] = []
  const start = async (server_id: string, graphs: string[]) => {
    const one = new Liveness({
      store: world.store,
      server: { server_id, host: hostId(), pid: process.pid, graphs },
      onReleased: () => {},
      clock: systemClock,
      log: silentLog,
    })
    await one.start(async () => void ended.push(server_id))
    return one
  }
  const [old, young] = [await start('old', ['both']), await start('new', ['both', 'added'])]
  await world.addRun(undefined, { metadata: { graph_id: 'added' } })
  await useUpAttempts(world.store)
  await old.sweep()
  expect(ended).toEqual([])
  await young.sweep()
  expect(ended).toEqual(['new'])
  await young.stop()
  await old.sweep()
  expect(ended).toEqual(['new', 'old'])
})

test('a server is on the record while it works, and is seen', async () => {
  const one = liveness()
  await one.start(nobodyEnds)
  const [first] = await world.store.servers.list()
  expect(first).toMatchObject({ server_id: 'this', host: hostId(), pid: process.pid })
  await one.sweep()
  const [second] = await world.store.servers.list()
  expect(second?.seen_at).toBeGreaterThanOrEqual(first?.seen_at ?? Number.POSITIVE_INFINITY)
  await one.stop()
  await one.stop()
  expect(await ids()).toEqual([])
})

test('the start of a process is known to about a second', async () => {
  const before = systemClock.now()
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e6)'])
  await once(child, 'spawn')
  const after = systemClock.now()
  const pid = child.pid as number
  expect(isAlive(pid)).toBe(true)
  const known = startedAt(pid)
  if (process.platform === 'linux') expect(known).toBeDefined()
  expect(known ?? before).toBeGreaterThan(before - 2_000)
  expect(known ?? before).toBeLessThan(after + 2_000)
  const gone = once(child, 'exit')
  child.kill()
  await gone
  expect(isAlive(pid)).toBe(false)
  expect(startedAt(pid)).toBeUndefined()
})
