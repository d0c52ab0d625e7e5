/**
 * The metrics of one process at a moment: what it has counted since it started, and its current state. They agree
 * with `/metrics`.
 */

import { isObject } from '../json.ts'
import type { Counts, Histogram } from './histogram.ts'

export interface ProcessReading {
  /** When the process started, in s since 1970: a new process counts from 0. */
  started_at: number
  cpu_seconds: number
  /** Of the process and, where known, of its child processes. */
  memory_bytes: number
  /** How late its event loop was since the metrics were last read: the 99th percentile. */
  event_loop_delay_seconds: number
}

/** An agent server's metrics. Figures about runs that are not over come from its database. */
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
  /** Attempts to deliver webhooks, by the delivery's status. */
  webhooks: Counts
  /** Tokens of models, `input` and `output`. Absent: an agent server of an earlier version. */
  tokens?: Counts
  /** From the due time of runs to their start. */
  waits: Histogram
  /** From the due time of runs to their graph's first output. */
  first_outputs: Histogram
  /** From the due time of runs to the first token of a model. Absent: as `tokens`. */
  first_tokens?: Histogram
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
const EXTREMES = ['count', 'min', 'max']
/** How many names counts have at most, and how long each is: more than there are statuses and ranges. */
const MOST_NAMES = 64
const MOST_NAME_LENGTH = 64

/** Checks the value, because the process that sends it runs the project's code. */
export function isAgentReading(value: unknown): value is AgentReading {
  return (
    isObject(value) &&
    AMOUNTS.every((name) => isAmount(value[name])) &&
    COUNTED.every((name) => isCounts(value[name])) &&
    TIMED.every((name) => isHistogram(value[name])) &&
    (value.tokens === undefined || isCounts(value.tokens)) &&
    (value.first_tokens === undefined || isHistogram(value.first_tokens))
  )
}

function isHistogram(value: unknown): boolean {
  if (!isObject(value) || !isAmount(value.sum) || !isCounts(value.counts)) return false
  const { extremes } = value
  return (
    extremes === undefined ||
    (isObject(extremes) && EXTREMES.every((name) => isAmount(extremes[name])))
  )
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

/** With the URL of the agent server, which identifies it. */
export interface ServerReading extends AgentReading {
  url: string
}

/** Answered requests by status, and how long they took. */
export interface RequestsReading {
  requests: Counts
  request_durations: Histogram
}

/** A control plane's metrics: requests to its own API, and those that its gateway forwarded. */
export interface ControlPlaneReading extends ProcessReading, RequestsReading {
  /** By the name of the deployment. */
  gateway: Record<string, RequestsReading>
}
