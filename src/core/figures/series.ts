/** Samples as a chart: one point for each step of time. */
import { type Counts, totalOf } from './counts.ts'
import { type Percentiles, percentilesOf } from './histogram.ts'
import { addInTurn, addTogether, newSum, type Sample } from './sample.ts'
import type { StoredSample } from './store.ts'

/** The fields of a point on the wire. Of several samples: counts are sums, states the largest. */
export interface Point {
  /** When its step began. */
  at: string
  servers: number
  /** Processors in use, on average. */
  cpu_cores: number
  memory_bytes: number
  event_loop_delay_seconds: number
  waiting: number
  delayed: number
  running: number
  queue_age_seconds: number
  streams_open: number
  webhooks_pending: number
  database_bytes: number
  requests: number
  /** Requests answered with 4xx. */
  refusals: number
  /** Requests answered with 5xx. */
  errors: number
  /** Runs that have ended, by status. */
  runs: Counts
  /** Attempts to deliver webhooks, by the delivery's status. */
  webhooks: Counts
  request_seconds: Percentiles | null
  wait_seconds: Percentiles | null
  first_output_seconds: Percentiles | null
  duration_seconds: Percentiles | null
}

interface Series {
  /** In the order of time; a step without samples has no point. */
  points: Point[]
  /** All steps in one point; `null`: there are no samples. */
  total: Point | null
}

/** The series of one or several deployments. */
export function seriesOf(samples: readonly StoredSample[], stepMs: number): Series {
  const steps = [...sumBySteps(samples, stepMs)].sort(([a], [b]) => a - b)
  const points = steps.map(([at, sample]) => pointOf(at, sample))
  const [first] = steps
  if (!first) return { points, total: null }
  const total = newSum()
  for (const [, sample] of steps) addInTurn(total, sample)
  return { points, total: pointOf(first[0], total) }
}

/** Adds up the deployments at each moment first, then the moments. */
function sumBySteps(samples: readonly StoredSample[], stepMs: number): Map<number, Sample> {
  const moments = new Map<number, Sample>()
  for (const { at, sample } of samples) addTogether(sumAt(moments, at), sample)
  const steps = new Map<number, Sample>()
  for (const [at, sample] of moments) {
    addInTurn(sumAt(steps, Math.floor(at / stepMs) * stepMs), sample)
  }
  return steps
}

function sumAt(sums: Map<number, Sample>, at: number): Sample {
  const there = sums.get(at)
  if (there) return there
  const sum = newSum()
  sums.set(at, sum)
  return sum
}

function pointOf(at: number, sample: Sample): Point {
  const { seconds, cpu_seconds, requests, waits, first_outputs, durations, request_durations } =
    sample
  const { servers, memory_bytes, event_loop_delay_seconds, waiting, delayed, running } = sample
  const { queue_age_seconds, streams_open, webhooks_pending, database_bytes } = sample
  return {
    at: new Date(at).toISOString(),
    servers,
    cpu_cores: seconds > 0 ? cpu_seconds / seconds : 0,
    ...{ memory_bytes, event_loop_delay_seconds, waiting, delayed, running },
    ...{ queue_age_seconds, streams_open, webhooks_pending, database_bytes },
    requests: totalOf(requests),
    refusals: answeredWith('4', requests),
    errors: answeredWith('5', requests),
    runs: sample.runs,
    webhooks: sample.webhooks,
    request_seconds: percentilesOf(request_durations),
    wait_seconds: percentilesOf(waits),
    first_output_seconds: percentilesOf(first_outputs),
    duration_seconds: percentilesOf(durations),
  }
}

function answeredWith(hundreds: string, requests: Counts): number {
  const those = Object.entries(requests).filter(([status]) => status.startsWith(hundreds))
  return totalOf(Object.fromEntries(those))
}
