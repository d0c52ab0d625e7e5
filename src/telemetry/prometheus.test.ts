import { Registry } from 'prom-client'
import { expect, it } from 'vitest'
import { LazyAgentMetrics } from './agent-metrics.ts'
import { createControlPlaneMetrics } from './control-plane-metrics.ts'
import { readProcess } from './prometheus.ts'

const figures = { waiting: 2, delayed: 1, running: 3, oldest_due_at: 6_000 }
const store = {
  runs: { figures: async () => figures },
  webhookDeliveries: { countPending: async () => 4 },
  ping: async () => {},
  sizeBytes: async () => 4096,
} as unknown as ConstructorParameters<typeof LazyAgentMetrics>[0]['store']

it('says of an agent server what its metrics say', async () => {
  const metrics = new LazyAgentMetrics({ store, clock: { now: () => 10_000 } })
  metrics.runStarted({ waited: 0.003 })
  metrics.runEnded({ status: 'success', seconds: 0.4 })
  metrics.runEnded({ status: 'success', seconds: 0.04 })
  metrics.runEnded({ status: 'error', seconds: 4 })
  metrics.firstEvent(0.2)
  metrics.firstToken(0.4)
  metrics.tokensUsed({ input: 30, output: 12 })
  metrics.streamOpened()
  metrics.webhookAttempted({ status: 'delivered', seconds: 0.1 })
  const reading = await metrics.reading()
  expect(reading).toMatchObject({
    ...{ waiting: 2, delayed: 1, running: 3, queue_age_seconds: 4 },
    ...{ streams_open: 1, webhooks_pending: 4, database_bytes: 4096 },
    runs: { success: 2, error: 1 },
    webhooks: { delivered: 1 },
    waits: { counts: { '0.005': 1 } },
    first_outputs: { counts: { '0.25': 1 } },
    first_tokens: { counts: { '0.5': 1 } },
    tokens: { input: 30, output: 12 },
    durations: { counts: { '0.05': 1, '0.5': 1, '5': 1 } },
  })
  expect(reading.durations.sum).toBeCloseTo(4.44)
  expect(reading.durations.extremes).toEqual({ count: 3, min: 0.04, max: 4 })
  metrics.runEnded({ status: 'success', seconds: 0.3 })
  const { counts, extremes } = (await metrics.reading()).durations
  expect({ counts, extremes }).toEqual({
    counts: { '0.05': 1, '0.5': 2, '5': 1 },
    extremes: { count: 1, min: 0.3, max: 0.3 },
  })
  expect(reading.memory_bytes).toBeGreaterThan(1_000_000)
  expect(reading.event_loop_delay_seconds).toBeGreaterThanOrEqual(0)
})

it('says of the gateway what it has passed on, by deployment, without glances', async () => {
  const nothing = { countByStatus: async () => ({}) }
  const metrics = await createControlPlaneMetrics({
    deployments: nothing,
    revisions: nothing,
    ping: async () => {},
  } as unknown as Parameters<typeof createControlPlaneMetrics>[0])
  metrics.requestPassed({ deployment: 'one', status: 200, seconds: 0.2, isGlance: false })
  metrics.requestPassed({ deployment: 'one', status: 503, seconds: 45, isGlance: false })
  metrics.requestPassed({ deployment: 'one', status: 200, seconds: 0.2, isGlance: true })
  metrics.requestPassed({ deployment: 'other', status: 404, seconds: 0.002, isGlance: false })
  metrics.requestAnswered({ method: 'GET', route: '/ok', status: 200, seconds: 0.001 })
  const { gateway, requests, request_durations } = await metrics.reading()
  expect(gateway).toMatchObject({
    one: { requests: { 200: 1, 503: 1 }, request_durations: { counts: { '0.25': 1, '60': 1 } } },
    other: { requests: { 404: 1 }, request_durations: { counts: { '0.005': 1 } } },
  })
  expect(requests).toEqual({ 200: 1 })
  expect(request_durations.counts).toEqual({ '0.001': 1 })
})

it('says nothing of a process that is not measured', async () => {
  expect(await readProcess(new Registry())).toEqual({
    ...{ started_at: 0, cpu_seconds: 0, memory_bytes: 0, event_loop_delay_seconds: 0 },
  })
})

it('says how much the processors have worked, whoever else reads the metrics', async () => {
  const metrics = new LazyAgentMetrics({ store, clock: { now: () => 10_000 } })
  const before = (await metrics.reading()).cpu_seconds
  const { user, system } = process.cpuUsage()
  while (true) {
    const { user: u, system: s } = process.cpuUsage()
    if (u + s > user + system + 50_000) break
  }
  expect((await metrics.reading()).cpu_seconds - before).toBeGreaterThan(0.04)
})
