import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Sampler } from '../../../src/control-plane/figures/sampler.ts'
import type { ControlPlaneReading, ServerReading } from '../../../src/core/figures/reading.ts'
import { silentLog } from '../../../src/core/log.ts'
import {
  aCreateRequest,
  type ControlPlaneWorld,
  startControlPlane,
} from '../../support/control-plane/control-plane.ts'

const STEP_MS = 30_000
const NO_TIMES = { counts: {}, sum: 0 }
/** After the sampler, in s since 1970. */
const STARTED_AT = Math.ceil(Date.now() / 1000) + 60
const PROCESS = {
  ...{ started_at: STARTED_AT, cpu_seconds: 1, memory_bytes: 1000, event_loop_delay_seconds: 0 },
}
const aServer = (change: Partial<ServerReading> = {}): ServerReading => ({
  ...PROCESS,
  ...{ url: 'http://127.0.0.1:4000', waiting: 0, delayed: 0, running: 0, queue_age_seconds: 0 },
  ...{ streams_open: 0, webhooks_pending: 0, database_bytes: 0, runs: {}, webhooks: {} },
  ...{ waits: NO_TIMES, first_outputs: NO_TIMES, durations: NO_TIMES },
  ...change,
})

let world: ControlPlaneWorld
let own: ControlPlaneReading = {
  ...PROCESS,
  ...{ requests: { 200: 100 }, request_durations: NO_TIMES, gateway: {} },
}
let sampler: Sampler
let id: string
let revision_id: string

beforeAll(async () => {
  world = await startControlPlane({ isReconciling: false })
  const { body } = await world.call('POST', '/v2/deployments', aCreateRequest())
  id = body.id
  revision_id = body.latest_revision_id
  const spec = { revision_id, deployment_id: id, artifact: { kind: 'folder' } }
  await world.driver.start(spec as never)
  const { store, driver, clock } = world
  const readOwn = async () => own
  sampler = new Sampler({ store, driver, readOwn, stepMs: STEP_MS, clock, log: silentLog })
  // A step has just begun: none ends by itself while the tests last.
  clock.skip(STEP_MS - (clock.now() % STEP_MS))
  await sampler.start()
})
afterAll(async () => {
  await sampler.stop()
  await world.close()
})

const read = async (path: string, key?: string) =>
  (await world.call('GET', path, undefined, key)).body

it('keeps what has happened since the last step, of deployments and of the control plane', async () => {
  const runs = { success: 3, error: 1 }
  const server = aServer({ runs, waiting: 2, durations: { counts: { '1': 4 }, sum: 3 } })
  world.driver.measured.set(revision_id, [server])
  const passed = { requests: { 200: 7, 502: 1 }, request_durations: NO_TIMES }
  own = { ...own, requests: { 200: 105 }, gateway: { support: passed } }
  world.clock.skip(STEP_MS)
  await sampler.take()
  world.driver.measured.set(revision_id, [{ ...server, runs: { success: 4, error: 1 } }])
  world.clock.skip(STEP_MS)
  await sampler.take()

  const { points, step_seconds, deployment_id, total } = await read(`/v2/deployments/${id}/figures`)
  expect({ step_seconds, deployment_id }).toEqual({ step_seconds: 30, deployment_id: id })
  expect(points).toMatchObject([
    { requests: 8, errors: 1, runs, waiting: 2, servers: 1, memory_bytes: 1000 },
    { requests: 0, errors: 0, runs: { success: 1 }, duration_seconds: null },
  ])
  expect(points[0].duration_seconds).toMatchObject({ count: 4, p50: 0.75 })

  expect(total).toMatchObject({ requests: 8, runs: { success: 4, error: 1 } })

  const all = await read('/v2/figures')
  expect(all.points).toEqual(points)
  expect(all).toMatchObject({ now: points[1], total: { requests: 8, memory_bytes: 1000 } })
  expect(all.deployments).toMatchObject([
    { deployment_id: id, name: 'support', now: points[1], total: { requests: 8, waiting: 2 } },
  ])
  const installation = await read('/v2/installation/figures')
  expect(installation.points).toEqual(points)
  expect(installation.control_plane).toMatchObject([{ requests: 5, memory_bytes: 1000 }, {}])
})

it('keeps what servers have counted that ended within the step, and nothing of how they were', async () => {
  const before = await read(`/v2/deployments/${id}/figures`)
  const [last] = world.driver.measured.get(revision_id) ?? []
  const short = aServer({
    url: 'http://127.0.0.1:4001',
    started_at: STARTED_AT + 1,
    runs: { success: 2 },
    waiting: 9,
  })
  // One that was known goes on to its end; another one began and ended in between.
  world.driver.lasts.set(id, [{ ...aServer(), ...last, runs: { success: 10, error: 1 } }, short])
  world.driver.measured.set(revision_id, [])
  world.clock.skip(STEP_MS)
  await sampler.take()
  const after = await read(`/v2/deployments/${id}/figures`)
  expect(after.points.at(-1)).toMatchObject({ runs: { success: 8 }, waiting: 0, servers: 0 })
  expect(after.total.runs.success).toBe(before.total.runs.success + 8)
  world.driver.measured.set(revision_id, [last as ServerReading])
})

it('counts each run of a rollout once, also when a server is silent before its last counts come', async () => {
  const step = async (servers: ServerReading[]) => {
    world.driver.measured.set(revision_id, servers)
    world.clock.skip(STEP_MS)
    await sampler.take()
  }
  const there = world.driver.measured.get(revision_id) ?? []
  const old = aServer({ url: 'http://127.0.0.1:4003', runs: { success: 10 } })
  await step([old])
  const before = await read(`/v2/deployments/${id}/figures`)
  const tokens = { input: 70, output: 30 }
  const fresh = aServer({ url: 'http://127.0.0.1:4002', runs: { success: 5 }, tokens })
  // The old revision drains, and does not respond in this step.
  await step([fresh])
  world.driver.lasts.set(id, [{ ...old, runs: { success: 12 } }])
  await step([fresh])
  const { total } = await read(`/v2/deployments/${id}/figures`)
  // Two of the old server since its latest reading, five of the new one.
  expect(total.runs).toEqual({ ...before.total.runs, success: before.total.runs.success + 2 + 5 })
  expect(total.tokens).toEqual(tokens)

  // Another control plane leads now, and finds a server that it did not start.
  const { store, driver, clock } = world
  const parts = { store, driver, stepMs: STEP_MS, log: silentLog, readOwn: async () => own }
  const ahead = { now: () => clock.now() + 3_600_000 }
  const next = new Sampler({ ...parts, clock: ahead })
  await next.start()
  await next.take()
  await next.stop()
  const from = new Date(ahead.now() - 600_000).toISOString()
  const to = new Date(ahead.now()).toISOString()
  const { points } = await read(`/v2/deployments/${id}/figures?from=${from}&to=${to}`)
  expect(points).toMatchObject([{ runs: {}, servers: 1 }])
  world.driver.measured.set(revision_id, there)
})

it('is asked for a time and for longer steps', async () => {
  const path = `/v2/deployments/${id}/figures`
  const { points, step_seconds } = await read(`${path}?step=3601`)
  expect(step_seconds).toBe(3630)
  expect(points.length).toBeLessThanOrEqual(2)
  expect(points[0].runs.error).toBe(1)
  const before = await read(`${path}?to=2026-01-01T00:00:00Z`)
  expect(before).toMatchObject({ points: [], from: '2025-12-31T23:00:00.000Z' })
})

it('refuses a time that ends before it begins, and more points than anybody can look at', async () => {
  const path = `/v2/deployments/${id}/figures`
  const backwards = await world.call(
    'GET',
    `${path}?from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z`,
  )
  expect(backwards.status).toBe(422)
  expect(backwards.body.detail[0]).toMatchObject({ loc: ['query', 'from'] })
  const { status } = await world.call('GET', `${path}?step=0`)
  expect(status).toBe(422)
})

it('forgets after a day', async () => {
  world.clock.skip(25 * 3_600_000)
  await sampler.take()
  const from = new Date(world.clock.now() - 48 * 3_600_000).toISOString()
  const { points } = await read(`/v2/deployments/${id}/figures?from=${from}`)
  expect(points).toHaveLength(1)
  expect((await read('/v2/figures')).deployments[0].now).toMatchObject({ servers: 1 })
})

it('tells one workspace nothing of another, and nobody but the operator of all', async () => {
  const workspace_id = randomUUID()
  await world.call('POST', '/v2/workspaces', { name: 'Other' })
  const other = await world.keyOf('admin', workspace_id)
  expect((await world.call('GET', `/v2/deployments/${id}/figures`, undefined, other)).status).toBe(
    404,
  )
  expect(await read('/v2/figures', other)).toMatchObject({ points: [], deployments: [] })
  const viewer = await world.keyOf('viewer')
  expect((await world.call('GET', '/v2/figures', undefined, viewer)).status).toBe(200)
  for (const key of [viewer, other]) {
    expect((await world.call('GET', '/v2/installation/figures', undefined, key)).status).toBe(403)
  }
})
