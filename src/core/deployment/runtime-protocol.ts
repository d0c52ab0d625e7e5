/**
 * What the process driver and the agent server that it started say to each other: over Node's IPC
 * channel (JSON), so that secrets are neither on a command line nor in an environment that other
 * processes of the same user can read.
 *
 * ```
 * driver                                   agent server (child)
 *   spawn … serve --managed --config C --host 127.0.0.1 --port 0 --data-dir D
 *   ── start ─────────────────────────────▶  takes the secrets into its environment, then loads
 *   ◀────────────────────────── sources ──   files that it has imported; again when there are more
 *   ◀──────────────────────────── ready ──   it listens
 *   ◀─────────────────────────── failed ──   or why it does not get there, right before its end
 *   GET <url>/ok with the gateway token ──▶  200: healthy; asked again from time to time
 *   ── inspect ───────────────────────────▶  compares threads of the revision before with its graphs
 *   ◀─────────────────────── inspection ──
 *   ── activate ──────────────────────────▶  only to one that stands by: executes runs from now on
 *   ◀─────────────────────────── active ──
 *   ◀───────────────────────────── load ──   about once a second, when there is something new
 *   ── drain ─────────────────────────────▶  executes no more runs, goes on to answer
 *   ◀────────────────────────── drained ──   none executes in it any more
 *   SIGTERM ──────────────────────────────▶  drains, exits with 0
 *   (channel closed: the driver is gone) ─▶  ends itself within seconds, without waiting for runs
 * ```
 * The child leads a process group of its own, which the driver kills after the child's end; a child
 * that ends because the channel closed kills the group itself (`process.kill(-process.pid)`).
 *
 * `serve` takes part when it was started with `--managed` and an IPC channel. It waits
 * for `start` before it loads any of the project's code. Messages of another `type` are ignored by
 * both sides, so that either can be newer.
 */

import type { ParkedThreads } from '../agent/parked-threads.ts'
import type { CorsConfig } from '../cors.ts'
import type { DrainLimits, Load } from './runtime.ts'

/** The header that carries `Endpoint.token`. */
export const GATEWAY_TOKEN_HEADER = 'x-runyard-gateway'

/** The header beside it with the `user_id` of whom the gateway has let in, percent-encoded. */
export const CALLER_HEADER = 'x-runyard-caller'

/** How agents reach their control plane, to ask for the tokens of the people they act for. */
export interface Home {
  /** Without a slash at the end. */
  url: string
  /** `agentKeyOf` the deployment. */
  key: string
}

/** The driver's first message, sent once. */
export interface StartMessage {
  type: 'start'
  deployment_id: string
  deployment_name: string
  revision_id: string
  /** By name; each becomes a variable of the agent server's own environment. */
  secrets: Record<string, string>
  /** The bundle of the project's modules; absolute. Absent: they are loaded as they are. */
  bundlePath?: string
  /** The agent server refuses every request that does not carry it in `GATEWAY_TOKEN_HEADER`. */
  gatewayToken: string
  /** Where it keeps its data; absent: in SQLite in the data folder. Secret: it holds a password. */
  databaseUrl?: string
  /** Where its control plane is; absent: there is none. Secret: it holds a key. */
  home?: Home
  /** Answers, but executes no runs and writes nothing of itself until `activate` comes. */
  isStandby?: boolean
}

/** Of the driver, in place of SIGTERM where a sandbox's own process stands between. */
export interface StopMessage {
  type: 'stop'
}

/** Of the driver. */
export interface ActivateMessage {
  type: 'activate'
}

/** The answer to it. */
export interface ActiveMessage {
  type: 'active'
}

/** The agent server's answer once it listens, sent once. */
export interface ReadyMessage {
  type: 'ready'
  /** `http://127.0.0.1:PORT`, without a path. */
  url: string
  /** Of the process that listens. */
  pid?: number
  /** Whether the project's own auth decides who may use it. */
  has_own_auth?: boolean
  /** `http.cors` of its project. */
  cors?: CorsConfig
}

/** Instead of it: the agent server is about to end. */
export interface FailedMessage {
  type: 'failed'
  /** For the project's author: a sentence, and on the lines after it where in their files. */
  reason: string
}

/** The files that the project consists of, so far as they are not in an earlier message. */
export interface SourcesMessage {
  type: 'sources'
  /** Absolute, links resolved; none of a `node_modules`. */
  files: string[]
}

export interface LoadMessage {
  type: 'load'
  load: Load
}

/** Of the driver. */
export interface InspectMessage {
  type: 'inspect'
}

/** The answer to it. */
export interface InspectionMessage {
  type: 'inspection'
  /** `null`: it could not be found out. */
  parked_threads: ParkedThreads | null
}

/** Of the driver. */
export interface DrainMessage extends DrainLimits {
  type: 'drain'
}

/** The answer to each `DrainMessage`. */
export interface DrainedMessage {
  type: 'drained'
  /** When the next run or cron is due, in ms since 1970; in the past: there is one to execute. */
  next_due_at: number | null
}

export function isStartMessage(message: unknown): message is StartMessage {
  return isOfType(message, 'start')
}

export function isReadyMessage(message: unknown): message is ReadyMessage {
  return isOfType(message, 'ready') && typeof (message as { url?: unknown }).url === 'string'
}

export function isFailedMessage(message: unknown): message is FailedMessage {
  return isOfType(message, 'failed') && typeof (message as { reason?: unknown }).reason === 'string'
}

export function isSourcesMessage(message: unknown): message is SourcesMessage {
  return isOfType(message, 'sources') && Array.isArray((message as { files?: unknown }).files)
}

export function isLoadMessage(message: unknown): message is LoadMessage {
  return isOfType(message, 'load') && typeof (message as { load?: unknown }).load === 'object'
}

export function isStopMessage(message: unknown): message is StopMessage {
  return isOfType(message, 'stop')
}

export function isActivateMessage(message: unknown): message is ActivateMessage {
  return isOfType(message, 'activate')
}

export function isActiveMessage(message: unknown): message is ActiveMessage {
  return isOfType(message, 'active')
}

export function isInspectMessage(message: unknown): message is InspectMessage {
  return isOfType(message, 'inspect')
}

export function isInspectionMessage(message: unknown): message is InspectionMessage {
  return isOfType(message, 'inspection')
}

export function isDrainMessage(message: unknown): message is DrainMessage {
  return isOfType(message, 'drain')
}

export function isDrainedMessage(message: unknown): message is DrainedMessage {
  return isOfType(message, 'drained')
}

function isOfType(message: unknown, type: string): boolean {
  return typeof message === 'object' && message !== null && 'type' in message
    ? message.type === type
    : false
}
