import { expect, it } from 'vitest'
import type { AgentReading } from './reading.ts'
import { EMPTY_SAMPLE, isIdle, type Sample, sampleOfDeployment } from './sample.ts'
import { seriesOf } from './series.ts'

const READING: AgentReading = {
  ...{ started_at: 1, cpu_seconds: 3, memory_bytes: 100, event_loop_delay_seconds: 0.01 },
  ...{ waiting: 2, delayed: 0, running: 1, queue_age_seconds: 4, streams_open: 1 },
  ...{ webhooks_pending: 0, database_bytes: 1000, webhooks: {} },
  runs: { success: 10, error: 1 },
  waits: { counts: { '0.005': 11 }, sum: 0.03 },
  first_outputs: { counts: {}, sum: 0 },
  durations: { counts: { '0.5': 8, '1': 3 }, sum: 4 },
}

it('counts what has happened since the reading before', () => {
  const runs = { success: 12, error: 1, timeout: 1 }
  const now = { ...READING, cpu_seconds: 4, runs }
  expect(sampleOfDeployment(30, [{ before: READING, now }], undefined)).toMatchObject({
    seconds: 30,
    servers: 1,
    cpu_seconds: 1,
    memory_bytes: 100,
    runs: { success: 2, timeout: 1 },
    durations: { counts: {}, sum: 0 },
  })
})

it('counts all of a process that is new, or that was started again', () => {
  const restarted = { ...READING, started_at: 2 }
  for (const before of [undefined, READING]) {
    const { runs } = sampleOfDeployment(30, [{ before, now: restarted }], undefined)
    expect(runs).toEqual({ success: 10, error: 1 })
  }
})

it('adds up servers of a deployment, but not what they both tell of its database', () => {
  const change = { before: READING, now: READING }
  expect(sampleOfDeployment(30, [change, change], undefined)).toMatchObject({
    ...{ servers: 2, memory_bytes: 200, streams_open: 2 },
    ...{ waiting: 2, running: 1, database_bytes: 1000, queue_age_seconds: 4 },
  })
})

it('knows when there is nothing to keep', () => {
  expect(isIdle(sampleOfDeployment(30, [], undefined))).toBe(true)
  const passed = { requests: { 404: 1 }, request_durations: { counts: {}, sum: 0 } }
  const gateway = { before: undefined, now: passed }
  expect(isIdle(sampleOfDeployment(30, [], gateway))).toBe(false)
})

const aSample = (change: Partial<Sample>): Sample => ({ ...EMPTY_SAMPLE, seconds: 30, ...change })

it('puts samples into longer steps: counts are added, of states the largest is kept', () => {
  const samples = [
    { deployment_id: 'a', at: 0, sample: aSample({ requests: { 200: 3, 500: 1 }, waiting: 5 }) },
    { deployment_id: 'a', at: 30_000, sample: aSample({ requests: { 200: 1 }, cpu_seconds: 15 }) },
    { deployment_id: 'a', at: 120_000, sample: aSample({ requests: { 404: 1 } }) },
  ]
  const { points, total } = seriesOf(samples, 60_000)
  expect(points.map(({ at }) => at)).toEqual([
    '1970-01-01T00:00:00.000Z',
    '1970-01-01T00:02:00.000Z',
  ])
  const first = { requests: 5, errors: 1, refusals: 0, waiting: 5, cpu_cores: 0.25 }
  expect(points[0]).toMatchObject(first)
  expect(points[1]).toMatchObject({ requests: 1, refusals: 1, waiting: 0 })
  expect(total).toMatchObject({ requests: 6, errors: 1, refusals: 1 })
})

it('adds deployments up at each moment before it puts moments together', () => {
  const samples = [
    { deployment_id: 'a', at: 0, sample: aSample({ memory_bytes: 100 }) },
    { deployment_id: 'b', at: 0, sample: aSample({ memory_bytes: 50 }) },
    { deployment_id: 'b', at: 30_000, sample: aSample({ memory_bytes: 60 }) },
  ]
  expect(seriesOf(samples, 60_000).points).toMatchObject([{ memory_bytes: 150 }])
})

it('estimates percentiles within the range that they fall into', () => {
  const durations = { counts: { '0.1': 50, '0.25': 45, '+Inf': 5 }, sum: 10 }
  const one = { deployment_id: 'a', at: 0, sample: aSample({ durations }) }
  const [point] = seriesOf([one], 30_000).points
  const { duration_seconds, wait_seconds } = point ?? {}
  expect(duration_seconds).toMatchObject({ count: 100, p50: 0.1, p95: 0.25, p99: 3600 })
  expect(wait_seconds).toBeNull()
})
