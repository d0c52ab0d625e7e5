import { afterAll, beforeAll, expect, test } from 'vitest'
import { type RunningAgentServer, startAgentServer } from '../../support/agent/agent-server.ts'
import { closedGate } from '../../support/agent/gate.ts'
import { eventually } from '../../support/eventually.ts'

const MINUTE = 60_000

/** Time passes when a test says so. */
let now = Date.now()
const clock = { now: () => now }

/** Its `langgraph.json` keeps threads for 0.02 minutes and looks for them all the time. */
let server: RunningAgentServer

beforeAll(async () => {
  // Leases outlast the leaps of the clock.
  server = await startAgentServer({ projectName: 'expiring', clock, leaseMs: 1e9 })
})
afterAll(() => server.stop())

interface WithTtl {
  updated_at: string
  ttl?: { strategy: string; ttl_minutes: number; expires_at: string } | null
}

async function withTtl(thread_id: string): Promise<WithTtl> {
  return (await server.client.threads.get(thread_id, { include: ['ttl'] })) as unknown as WithTtl
}

/** The SDK's types know one strategy only. */
function keptLatest(ttl: number): { ttl: number; strategy: 'delete' } {
  return { ttl, strategy: 'keep_latest' as 'delete' }
}

async function isThere(thread_id: string): Promise<boolean> {
  return (await fetch(`${server.url}/threads/${thread_id}`)).ok
}

async function checkpoints(thread_id: string): Promise<number> {
  return (await server.client.threads.getHistory(thread_id, { limit: 100 })).length
}

test('how long a thread is kept is shown to who asks for it', async () => {
  const { threads } = server.client
  const own = await threads.create({ ttl: keptLatest(30) })
  expect(own).not.toHaveProperty('ttl')
  expect(await threads.get(own.thread_id)).not.toHaveProperty('ttl')
  const { ttl, updated_at } = await withTtl(own.thread_id)
  expect(ttl).toEqual({
    strategy: 'keep_latest',
    ttl_minutes: 30,
    expires_at: new Date(Date.parse(updated_at) + 30 * 60_000).toISOString(),
  })
  const number = await threads.create({ ttl: 45 })
  expect((await withTtl(number.thread_id)).ttl).toMatchObject({
    strategy: 'delete',
    ttl_minutes: 45,
  })
})

test('a thread without a time of its own has that of the project, and goes with it', async () => {
  const { thread_id } = await server.client.threads.create()
  expect((await withTtl(thread_id)).ttl).toMatchObject({ strategy: 'delete', ttl_minutes: 0.02 })
  now += MINUTE
  await eventually(() => isThere(thread_id)).toBe(false)
  const response = await fetch(`${server.url}/threads/${thread_id}/history`)
  expect(response.status).toBe(404)
})

test('a change can give a thread more time', async () => {
  const { threads } = server.client
  const { thread_id } = await threads.create({ ttl: 30 })
  await threads.update(thread_id, { ttl: keptLatest(60) })
  const { ttl, updated_at } = await withTtl(thread_id)
  expect(ttl).toMatchObject({ strategy: 'keep_latest', ttl_minutes: 60 })
  await threads.update(thread_id, { metadata: { topic: 'trains' } })
  const later = await withTtl(thread_id)
  expect(Date.parse(later.ttl?.expires_at ?? '')).toBe(Date.parse(later.updated_at) + 3_600_000)
  expect(Date.parse(later.updated_at)).toBeGreaterThanOrEqual(Date.parse(updated_at))
})

test('a thread that keeps its latest state loses only what was before', async () => {
  const { threads, runs } = server.client
  const { thread_id } = await threads.create({ ttl: keptLatest(0.01) })
  await runs.wait(thread_id, 'count', { input: { n: 1 } })
  expect(await checkpoints(thread_id)).toBe(3)
  now += MINUTE
  await eventually(() => checkpoints(thread_id)).toBe(1)
  expect((await threads.getState(thread_id)).values).toEqual({ n: 2 })
  await runs.wait(thread_id, 'count', { input: { n: 5 } })
  expect((await threads.getState(thread_id)).values).toEqual({ n: 6 })
  now += MINUTE
  await eventually(() => checkpoints(thread_id)).toBe(1)
})

test('a busy thread is not removed, and its time begins when the run has ended', async () => {
  const { threads, runs } = server.client
  const { thread_id } = await threads.create({ ttl: 30 })
  const gate = await closedGate()
  const { run_id } = await runs.create(thread_id, 'count', { input: { gate: gate.path } })
  await threads.update(thread_id, { ttl: 1 })
  const idle = await threads.create()
  now += 2 * MINUTE
  // Whoever has removed this one has passed over the busy one.
  await eventually(() => isThere(idle.thread_id)).toBe(false)
  gate.open()
  expect(await runs.join(thread_id, run_id)).toMatchObject({ n: 1 })
  const later = await threads.create()
  now += MINUTE - 1
  await eventually(() => isThere(later.thread_id)).toBe(false)
  expect(await isThere(thread_id)).toBe(true)
  now += MINUTE
  await eventually(() => isThere(thread_id)).toBe(false)
})

test.each([
  { ttl: 0 },
  { ttl: -1 },
  { ttl: { ttl: 'long' } },
  { ttl: { strategy: 'delete' } },
  { ttl: { ttl: 5, strategy: 'hide' } },
])('a thread with %j is refused', async (body) => {
  const init = { method: 'POST', body: JSON.stringify(body) }
  expect((await fetch(`${server.url}/threads`, init)).status).toBe(422)
})
