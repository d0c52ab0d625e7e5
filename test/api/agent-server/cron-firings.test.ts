/** Crons and what they fire, on a clock that the tests set. */
import { randomUUID } from 'node:crypto'
import { Client } from '@langchain/langgraph-sdk'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Authorize } from '../../../src/core/agent/authorization.ts'
import type { CronRun } from '../../../src/core/agent/cron.ts'
import { AppError } from '../../../src/core/errors.ts'
import {
  type RunningAgentServer,
  type StartOptions,
  startAgentServer,
} from '../../support/agent/agent-server.ts'
import { eventually } from '../../support/eventually.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const QUICK = { label: 'a', count: 1, ms: 1 }

let now: number
let dataDir: string
const servers: RunningAgentServer[] = []

/** Leases outlast the leaps of the clock. */
async function start(options: StartOptions = {}): Promise<RunningAgentServer> {
  const clock = { now: () => now }
  const server = await startAgentServer({
    clock,
    dataDir,
    cronPollMs: 5,
    leaseMs: 1e9,
    ...options,
  })
  servers.push(server)
  return server
}

beforeEach(() => {
  now = Date.parse('2026-11-20T12:00:30.000Z')
  dataDir = temporaryFolder()
})
afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop()
})

interface Made {
  cron_id: string
  next_run_date: string
  last_run: CronRun | null
}

async function everyMinute(client: Client, options: object = {}): Promise<Made> {
  const request = { schedule: '* * * * *', input: QUICK, ...options }
  return (await client.crons.create('slow', request)) as unknown as Made
}

async function readCron(server: RunningAgentServer, cron_id: string): Promise<Made> {
  return (await (await fetch(`${server.url}/runs/crons/${cron_id}`)).json()) as Made
}

/** Settles when what was due until now has been taken. */
async function settled(server: RunningAgentServer, cron_id: string): Promise<void> {
  const due = async () => Date.parse((await readCron(server, cron_id)).next_run_date)
  await eventually(due).toBeGreaterThan(now)
}

function threadsOf({ client }: RunningAgentServer, cron_id: string) {
  return client.threads.search({ metadata: { cron_id }, limit: 100 })
}

test('a cron on a thread adds a run to its line at each due time', async () => {
  const server = await start()
  const { client } = server
  const { thread_id } = await client.threads.create()
  const { cron_id, next_run_date } = (await client.crons.createForThread(thread_id, 'slow', {
    schedule: '*/5 * * * *',
    input: QUICK,
    metadata: { why: 'test' },
    config: { configurable: { model: 'm' } },
  })) as unknown as Made
  expect(next_run_date).toBe('2026-11-20T12:05:00.000Z')
  now = Date.parse(next_run_date) - 1
  expect(await client.runs.list(thread_id)).toEqual([])
  for (const expected of [1, 2]) {
    now = Date.parse((await readCron(server, cron_id)).next_run_date)
    await settled(server, cron_id)
    const runs = await client.runs.list(thread_id)
    expect(runs).toHaveLength(expected)
    expect(runs[0]).toMatchObject({
      metadata: { cron_id, why: 'test' },
      multitask_strategy: 'enqueue',
      kwargs: { input: QUICK, config: { configurable: { model: 'm' } } },
    })
    await client.runs.join(thread_id, runs[0]?.run_id ?? '')
  }
  expect((await client.threads.getState(thread_id)).values).toMatchObject({ label: 'a' })
})

test('a cron without a thread has one for each firing, which goes with its run or stays', async () => {
  const server = await start()
  const kept = await everyMinute(server.client, { onRunCompleted: 'keep' })
  const gone = await everyMinute(server.client)
  for (const _ of [1, 2]) {
    now += MINUTE
    await settled(server, kept.cron_id)
    await settled(server, gone.cron_id)
  }
  const threads = () => threadsOf(server, kept.cron_id)
  await eventually(async () => (await threads()).map(({ status }) => status)).toEqual([
    'idle',
    'idle',
  ])
  await eventually(() => threadsOf(server, gone.cron_id)).toEqual([])
})

test('of what was missed only the latest is made up for, once', async () => {
  const before = await start()
  const { cron_id } = await everyMinute(before.client, { onRunCompleted: 'keep' })
  await servers.pop()?.stop()
  now += 3 * HOUR
  const after = await start()
  await settled(after, cron_id)
  expect(await threadsOf(after, cron_id)).toHaveLength(1)
  expect((await readCron(after, cron_id)).next_run_date).toBe('2026-11-20T15:01:00.000Z')
})

test('several servers on one database fire each due time once', async () => {
  // All of them have seen the due time before any of them takes it.
  const waiting: (() => void)[] = []
  const authorize: Authorize = async (_caller, { action }) => {
    if (action !== 'create_run') return undefined
    const met = new Promise<void>((resolve) => waiting.push(resolve))
    const count = servers.reduce((sum, { members }) => sum + members.length, 0)
    if (waiting.length === count) for (const go of waiting.splice(0)) go()
    await met
    return undefined
  }
  const [one, two, three] = [
    await start({ authorize }),
    await start({ authorize }),
    await start({ authorize }),
  ]
  const { cron_id } = await everyMinute(one.client, { onRunCompleted: 'keep' })
  const rounds = 5
  for (let round = 0; round < rounds; round += 1) {
    now += MINUTE
    await Promise.all([one, two, three].map((server) => settled(server, cron_id)))
  }
  for (const server of servers.splice(0)) await server.stop()
  const last = await start()
  expect(await threadsOf(last, cron_id)).toHaveLength(rounds)
})

test('a cron tells of its latest run, also when the thread went with it', async () => {
  const server = await start()
  const { cron_id } = await everyMinute(server.client)
  expect(await readCron(server, cron_id)).toMatchObject({ last_run: null })
  now += MINUTE
  await settled(server, cron_id)
  const last = async () => (await readCron(server, cron_id)).last_run
  await eventually(async () => (await last())?.status).toBe('success')
  const { run_id, thread_id, error } = (await last()) ?? {}
  expect([typeof run_id, typeof thread_id, error]).toEqual(['string', 'string', null])
})

test('a cron is run by hand, and is due as before', async () => {
  const server = await start()
  const { cron_id, next_run_date } = await everyMinute(server.client, { onRunCompleted: 'keep' })
  const response = await fetch(`${server.url}/runs/crons/${cron_id}/run`, { method: 'POST' })
  const run = (await response.json()) as { run_id: string; thread_id: string }
  expect([response.status, run]).toMatchObject([200, { metadata: { cron_id } }])
  await server.client.runs.join(run.thread_id, run.run_id)
  const { run_id, thread_id } = run
  expect(await readCron(server, cron_id)).toMatchObject({
    next_run_date,
    last_run: { run_id, thread_id, status: 'success' },
  })
  const { thread_id: own } = await server.client.threads.create()
  const joining = { schedule: '@yearly', input: QUICK }
  const yearly = await server.client.crons.createForThread(own, 'slow', joining)
  const { cron_id: onThread } = yearly as unknown as Made
  const there = await fetch(`${server.url}/runs/crons/${onThread}/run`, { method: 'POST' })
  expect(await there.json()).toMatchObject({ thread_id: own, kwargs: { input: QUICK } })
  const unknown = randomUUID()
  const missing = await fetch(`${server.url}/runs/crons/${unknown}/run`, { method: 'POST' })
  expect([missing.status, await missing.json()]).toEqual([
    404,
    { detail: `Cron ${unknown} not found.` },
  ])
})

test('a cron whose run was refused says why', async () => {
  const server = await start()
  const { client } = server
  const { thread_id } = await client.threads.create()
  const busy = await client.runs.create(thread_id, 'slow', {
    input: { label: 'b', count: 1, ms: 60_000 },
  })
  const { cron_id } = (await client.crons.createForThread(thread_id, 'slow', {
    schedule: '* * * * *',
    input: QUICK,
    multitaskStrategy: 'reject',
  })) as unknown as Made
  now += MINUTE
  await settled(server, cron_id)
  const { last_run } = await readCron(server, cron_id)
  expect(last_run).toMatchObject({ run_id: null, thread_id, status: 'refused' })
  expect(last_run?.error).toMatch(/./)
  const byHand = await fetch(`${server.url}/runs/crons/${cron_id}/run`, { method: 'POST' })
  expect(byHand.status).toBe(409)
  await client.runs.cancel(thread_id, busy.run_id, true)
})

test('a cron that is switched off, ended or removed fires no more', async () => {
  const server = await start()
  const { client } = server
  const keep = { onRunCompleted: 'keep' }
  const off = await everyMinute(client, keep)
  const ended = await everyMinute(client, { ...keep, endTime: '2026-11-20T12:01:30.000Z' })
  const removed = await everyMinute(client, keep)
  const witness = await everyMinute(client, keep)
  await client.crons.update(off.cron_id, { enabled: false })
  await client.crons.delete(removed.cron_id)
  for (const _ of [1, 2]) {
    now += MINUTE
    await settled(server, witness.cron_id)
    await eventually(async () => (await threadsOf(server, ended.cron_id)).length).toBe(1)
  }
  expect(await threadsOf(server, off.cron_id)).toEqual([])
  expect(await threadsOf(server, removed.cron_id)).toEqual([])
  expect(await readCron(server, ended.cron_id)).toMatchObject({ next_run_date: null })
  await client.crons.update(off.cron_id, { enabled: true })
  expect(await readCron(server, off.cron_id)).toMatchObject({
    next_run_date: '2026-11-20T12:03:00.000Z',
  })
})

test('a refused run lets its due time pass', async () => {
  const server = await start()
  const { thread_id } = await server.client.threads.create()
  const { run_id } = await server.client.runs.create(thread_id, 'slow', {
    input: { ...QUICK, ms: 60_000 },
  })
  const { cron_id } = (await server.client.crons.createForThread(thread_id, 'slow', {
    schedule: '* * * * *',
    input: QUICK,
    multitaskStrategy: 'reject',
  })) as unknown as Made
  now += MINUTE
  await settled(server, cron_id)
  expect(await server.client.runs.list(thread_id)).toMatchObject([{ run_id }])
})

test('a server says when it is due next, so that it can be woken for it', async () => {
  const server = await start()
  expect(await server.nextDue()).toBeNull()
  const { cron_id, next_run_date } = await everyMinute(server.client)
  expect(await server.nextDue()).toBe(Date.parse(next_run_date))
  await server.client.runs.create(null, 'slow', { input: QUICK, afterSeconds: 10 })
  expect(await server.nextDue()).toBe(now + 10_000)
  await server.drain({ graceMs: 0 })
  now += HOUR
  const another = await server.client.crons.create('slow', { schedule: '@yearly' })
  expect(another).toMatchObject({ next_run_date: '2027-01-01T00:00:00.000Z' })
  expect(await readCron(server, cron_id)).toMatchObject({ next_run_date })
})

/** Everyone owns what they make and sees nothing else; `guest` may make no runs. */
const byOwner: Authorize = async (caller, event, value) => {
  const owner = caller.headers['x-user'] ?? ''
  if (event.resource === 'assistants') return undefined
  if (event.action === 'create_run' && owner === 'guest') {
    throw new AppError('forbidden', 'Guests may not run anything.')
  }
  if (event.action === 'create') Object.assign(value.metadata as object, { owner })
  return { owner }
}

function clientFor(server: RunningAgentServer, user: string): Client {
  const callerOptions = { maxRetries: 0 }
  const defaultHeaders = { 'x-user': user }
  return new Client({ apiUrl: server.url, apiKey: null, defaultHeaders, callerOptions })
}

test('a cron is its maker’s, and its runs are made for them', async () => {
  const server = await start({ authorize: byOwner })
  const [ann, bob] = [clientFor(server, 'ann'), clientFor(server, 'bob')]
  const { cron_id } = await everyMinute(ann, { onRunCompleted: 'keep' })
  const { thread_id } = await ann.threads.create()
  const refused = [
    () => bob.crons.update(cron_id, { enabled: false }),
    () => bob.crons.delete(cron_id),
    () => bob.crons.createForThread(thread_id, 'slow', { schedule: '* * * * *' }),
  ]
  for (const request of refused) await expect(request()).rejects.toThrow('HTTP 404')
  expect(await bob.crons.search()).toEqual([])
  expect(await bob.crons.count()).toBe(0)
  now += MINUTE
  const threads = () => ann.threads.search({ metadata: { cron_id } })
  await eventually(async () => (await threads()).length).toBe(1)
  expect((await threads())[0]?.metadata).toMatchObject({ owner: 'ann' })
  expect(await bob.threads.search()).toEqual([])
  const guest = clientFor(server, 'guest')
  const bound = guest.threads
    .create()
    .then(({ thread_id }) =>
      guest.crons.createForThread(thread_id, 'slow', { schedule: '* * * * *' }),
    )
  await expect(bound).rejects.toThrow('HTTP 403')
})
