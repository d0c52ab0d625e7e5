/** Samples as a chart: one point for each step of time. */
import { momentOf } from '../clock.ts'
import { type Counts, type Percentiles, percentilesOf, totalOf } from './histogram.ts'
import {
  addInTurn,
  addTogether,
  type NumberField,
  newSum,
  type Sample,
  type StoredSample,
} from './sample.ts'

/** The fields of a point on the wire. Of several samples: counts are sums, states the largest. */
export interface Point
  extends Pick<
    Sample,
    'servers' | 'runs' | 'webhooks' | 'tokens' | Exclude<NumberField, 'seconds' | 'cpu_seconds'>
  > {
  /** When its step began. */
  at: string
  /** Processors in use, on average. */
  cpu_cores: number
  requests: number
  /** Requests answered with 4xx. */
  refusals: number
  /** Requests answered with 5xx. */
  errors: number
  request_seconds: Percentiles | null
  wait_seconds: Percentiles | null
  first_output_seconds: Percentiles | null
  first_token_seconds: Percentiles | null
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
  const steps = stepsOf(samples, stepMs)
  return { points: steps.map(([at, sample]) => pointOf(at, sample)), total: totalOfSteps(steps) }
}

/** The `total` of a series, without the work for its points. */
export function totalOfSeries(samples: readonly StoredSample[], stepMs: number): Point | null {
  return totalOfSteps(stepsOf(samples, stepMs))
}

type Step = readonly [at: number, sum: Sample]

function totalOfSteps(steps: readonly Step[]): Point | null {
  const [first] = steps
  if (!first) return null
  const total = newSum()
  for (const [, sample] of steps) addInTurn(total, sample)
  return pointOf(first[0], total)
}

/** Adds up the deployments at each moment first, then the moments. */
function stepsOf(samples: readonly StoredSample[], stepMs: number): Step[] {
  const moments = new Map<number, Sample>()
  for (const { at, sample } of samples) addTogether(sumAt(moments, at), sample)
  const steps = new Map<number, Sample>()
  for (const [at, sample] of moments) {
    addInTurn(sumAt(steps, Math.floor(at / stepMs) * stepMs), sample)
  }
  return [...steps].sort(([a], [b]) => a - b)
}

function sumAt(sums: Map<number, Sample>, at: number): Sample {
  const there = sums.get(at)
  if (there) return there
  const sum = newSum()
  sums.set(at, sum)
  return sum
}

function pointOf(at: number, sample: Sample): Point {
  const { seconds, cpu_seconds, requests, waits, first_outputs, durations, ...same } = sample
  const { request_durations, first_tokens, ...states } = same
  return {
    at: momentOf(at),
    ...states,
    cpu_cores: seconds > 0 ? cpu_seconds / seconds : 0,
    requests: totalOf(requests),
    refusals: answeredWith('4', requests),
    errors: answeredWith('5', requests),
    request_seconds: percentilesOf(request_durations),
    wait_seconds: percentilesOf(waits),
    first_output_seconds: percentilesOf(first_outputs),
    first_token_seconds: percentilesOf(first_tokens),
    duration_seconds: percentilesOf(durations),
  }
}

function answeredWith(hundreds: string, requests: Counts): number {
  const those = Object.entries(requests).filter(([status]) => status.startsWith(hundreds))
  return totalOf(Object.fromEntries(those))
}
