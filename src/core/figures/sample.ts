/** What happened to one deployment, or to the control plane itself, within one step of time. */
import {
  addCounts,
  addHistogram,
  countsSince,
  type Histogram,
  histogramSince,
  noTimes,
  numberSince,
} from './histogram.ts'
import type {
  AgentReading,
  ControlPlaneReading,
  ProcessReading,
  RequestsReading,
} from './reading.ts'

export interface Sample extends Required<Omit<AgentReading, 'started_at'>>, RequestsReading {
  /** How long the step was. */
  seconds: number
  /** How many processes it covers. */
  servers: number
}

/** An empty sample to add others to. */
export function newSum(): Sample {
  return {
    seconds: 0,
    servers: 0,
    cpu_seconds: 0,
    memory_bytes: 0,
    event_loop_delay_seconds: 0,
    waiting: 0,
    delayed: 0,
    running: 0,
    queue_age_seconds: 0,
    streams_open: 0,
    webhooks_pending: 0,
    database_bytes: 0,
    runs: {},
    webhooks: {},
    tokens: {},
    waits: noTimes(),
    first_outputs: noTimes(),
    first_tokens: noTimes(),
    durations: noTimes(),
    requests: {},
    request_durations: noTimes(),
  }
}

export const EMPTY_SAMPLE: Readonly<Sample> = newSum()

const NO_TIMES: Readonly<Histogram> = noTimes()

/** Two readings of one process; `before` only if it was running then. */
interface Change<Reading> {
  before: Reading | undefined
  now: Reading
}

/** One deployment: its agent servers, those that `ended` within the step, and its requests through the gateway. */
export function sampleOfDeployment(
  seconds: number,
  servers: readonly Change<AgentReading>[],
  gateway: Change<RequestsReading> | undefined,
  ended: readonly Change<AgentReading>[] = [],
): Sample {
  const sum = newSum()
  for (const one of servers) addServer(sum, sampleOfServer(seconds, one))
  // An ended server has counts but no current state.
  for (const one of ended) addCounted(sum, sampleOfServer(seconds, one))
  return { ...sum, seconds, ...(gateway && requestsSince(gateway)) }
}

/** The control plane's own process, and requests to its own API. */
export function sampleOfControlPlane(seconds: number, change: Change<ControlPlaneReading>): Sample {
  const before = sameProcess(change)
  const process = processSince({ before, now: change.now })
  return { ...EMPTY_SAMPLE, seconds, ...process, ...requestsSince({ before, now: change.now }) }
}

/** Whether the sample is empty. */
export function isIdle({ servers, cpu_seconds, requests }: Sample): boolean {
  return servers === 0 && cpu_seconds === 0 && Object.keys(requests).length === 0
}

function sampleOfServer(seconds: number, change: Change<AgentReading>): Sample {
  const { now } = change
  const before = sameProcess(change)
  const { waiting, delayed, running, queue_age_seconds } = now
  const { streams_open, webhooks_pending, database_bytes } = now
  return {
    ...EMPTY_SAMPLE,
    ...{ seconds, waiting, delayed, running, queue_age_seconds },
    ...{ streams_open, webhooks_pending, database_bytes },
    ...processSince({ before, now }),
    runs: countsSince(before?.runs, now.runs),
    webhooks: countsSince(before?.webhooks, now.webhooks),
    tokens: countsSince(before?.tokens, now.tokens ?? {}),
    waits: histogramSince(before?.waits, now.waits),
    first_outputs: histogramSince(before?.first_outputs, now.first_outputs),
    first_tokens: histogramSince(before?.first_tokens, now.first_tokens ?? NO_TIMES),
    durations: histogramSince(before?.durations, now.durations),
  }
}

function sameProcess<R extends ProcessReading>({ before, now }: Change<R>): R | undefined {
  return before?.started_at === now.started_at ? before : undefined
}

function processSince({ before, now }: Change<ProcessReading>) {
  const { memory_bytes, event_loop_delay_seconds } = now
  const cpu_seconds = numberSince(before?.cpu_seconds, now.cpu_seconds)
  return { servers: 1, cpu_seconds, memory_bytes, event_loop_delay_seconds }
}

function requestsSince({ before, now }: Change<RequestsReading>): RequestsReading {
  return {
    requests: countsSince(before?.requests, now.requests),
    request_durations: histogramSince(before?.request_durations, now.request_durations),
  }
}

/** Adds another agent server of the same database, which reports the same database figures. */
function addServer(sum: Sample, other: Sample): void {
  const ofDatabase = OF_DATABASE.map(
    (field) => [field, Math.max(sum[field], other[field])] as const,
  )
  addTogether(sum, other)
  for (const [field, value] of ofDatabase) sum[field] = value
}

const OF_DATABASE = [
  ...['waiting', 'delayed', 'running', 'webhooks_pending', 'database_bytes'],
] as const satisfies NumberField[]

/** States that add up over deployments. */
const ADDED_UP = [...OF_DATABASE, 'servers', 'memory_bytes', 'streams_open'] as const

/** States of which the largest value counts. */
const WORST = ['event_loop_delay_seconds', 'queue_age_seconds'] as const

/** Adds another deployment's sample of the same time to `sum`. */
export function addTogether(sum: Sample, other: Sample): void {
  addCounted(sum, other)
  for (const field of ADDED_UP) sum[field] += other[field]
  for (const field of WORST) sum[field] = Math.max(sum[field], other[field])
  sum.seconds = Math.max(sum.seconds, other.seconds)
}

/** Adds a sample of another time to `sum`: counts are added, and of states the largest is kept. */
export function addInTurn(sum: Sample, other: Sample): void {
  addCounted(sum, other)
  for (const field of ADDED_UP) sum[field] = Math.max(sum[field], other[field])
  for (const field of WORST) sum[field] = Math.max(sum[field], other[field])
  sum.seconds += other.seconds
}

export type NumberField = {
  [Field in keyof Sample]: Sample[Field] extends number ? Field : never
}[keyof Sample]

const COUNTED = ['runs', 'webhooks', 'tokens', 'requests'] as const
const TIMED = [
  ...(['waits', 'first_outputs', 'first_tokens', 'durations', 'request_durations'] as const),
]

function addCounted(sum: Sample, other: Sample): void {
  sum.cpu_seconds += other.cpu_seconds
  for (const field of COUNTED) addCounts(sum[field], other[field])
  for (const field of TIMED) addHistogram(sum[field], other[field])
}

/** The id of the control plane itself, instead of a deployment's. */
export const CONTROL_PLANE_ID = ''

export interface StoredSample {
  deployment_id: string
  /** When its step began, in ms since 1970. */
  at: number
  sample: Sample
}

/** Keeps samples for a day. */
export interface FiguresStore {
  /** Adds samples. An existing one of the same deployment and moment stays. */
  add(samples: readonly StoredSample[]): Promise<void>
  /** A deployment's samples from one moment on and before another, in ms since 1970, in the order of time. */
  list(deployment_id: string, range: { from: number; to: number }): Promise<StoredSample[]>
  /** Removes samples from before this moment. Returns how many. */
  expire(before: number): Promise<number>
}
