/**
 * What the metrics of one process say at a moment: what it has counted since it began, and how things are
 * now. Taken from the same registry that `/metrics` writes out.
 */
import type { Counts } from './counts.ts'
import type { Histogram } from './histogram.ts'

export interface ProcessReading {
  /** When the process began, in s since 1970: another one counts from nothing. */
  started_at: number
  cpu_seconds: number
  /** Of the process, and where it is known of those that it has started. */
  memory_bytes: number
  /** How late its event loop was since the metrics were last read: the 99th percentile. */
  event_loop_delay_seconds: number
}

/** Of an agent server. Figures about runs that are not over are those of its database. */
export interface AgentReading extends ProcessReading {
  waiting: number
  delayed: number
  running: number
  /** How long the run that waits longest has been due. */
  queue_age_seconds: number
  streams_open: number
  webhooks_pending: number
  database_bytes: number
  /** Runs that have ended in it, by status. */
  runs: Counts
  /** Attempts to deliver webhooks, by what became of the delivery. */
  webhooks: Counts
  /** From when runs were due to their start. */
  waits: Histogram
  /** From when runs were due to their graph's first output. */
  first_outputs: Histogram
  /** From their start to their end. */
  durations: Histogram
}

const AMOUNTS = [
  ...['started_at', 'cpu_seconds', 'memory_bytes', 'event_loop_delay_seconds'],
  ...['waiting', 'delayed', 'running', 'queue_age_seconds', 'streams_open'],
  ...['webhooks_pending', 'database_bytes'],
]
const COUNTED = ['runs', 'webhooks']
const TIMED = ['waits', 'first_outputs', 'durations']
/** How many names counts have at most, and how long each is: more than there are statuses and ranges. */
const MOST_NAMES = 64
const MOST_NAME_LENGTH = 64

/** Whether it is one. The process that sends it runs the project's code, which may send anything. */
export function isAgentReading(value: unknown): value is AgentReading {
  return (
    isObject(value) &&
    AMOUNTS.every((name) => isAmount(value[name])) &&
    COUNTED.every((name) => isCounts(value[name])) &&
    TIMED.every((name) => isHistogram(value[name]))
  )
}

function isHistogram(value: unknown): boolean {
  return isObject(value) && isAmount(value.sum) && isCounts(value.counts)
}

function isCounts(value: unknown): boolean {
  if (!isObject(value)) return false
  const entries = Object.entries(value)
  const isShort = entries.every(([name]) => name.length <= MOST_NAME_LENGTH)
  return entries.length <= MOST_NAMES && isShort && entries.every(([, one]) => isAmount(one))
}

function isAmount(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** With where the gateway reaches the agent server, which tells it from others. */
export interface ServerReading extends AgentReading {
  url: string
}

/** Requests that were answered, by status, and how long that took. */
export interface RequestsReading {
  requests: Counts
  request_durations: Histogram
}

/** Of a control plane: requests to its own API, and those that its gateway has passed on. */
export interface ControlPlaneReading extends ProcessReading, RequestsReading {
  /** By the name of the deployment. */
  gateway: Record<string, RequestsReading>
}
