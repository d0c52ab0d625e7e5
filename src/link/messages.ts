/**
 * The messages between a runtime driver and an agent server, in JSON, over one of two channels:
 *
 * - **IPC**, where the agent server is a child of the driver. Secrets are then neither on a command
 *   line nor in an environment that other processes of the same user can read.
 * - **A WebSocket**, where it is not: `GET /internal/runtime` on the port of the agent server, with the gateway's token
 *   in `GATEWAY_TOKEN_HEADER`. The driver connects, and reconnects when the connection breaks. The agent server then
 *   sends `hello`, and repeats `starting`, `ready`, `failed`, `sources` and `load`; the driver repeats its unanswered
 *   messages at each `ready`. `start` is not sent: it is in the file that `RUNYARD_START_FILE` names. The agent server
 *   accepts this channel as soon as it runs, works without a connection, and sends to all connections: with two drivers
 *   at once, one has just taken over from the other.
 *
 * ```
 * driver                                   agent server (here as a child)
 *   spawn … serve --managed --config C --host 127.0.0.1 --port 0 --data-dir D
 *   ── start ─────────────────────────────▶  takes the secrets into its environment, then loads
 *   ◀───────────────────────── starting ──   the current step of its start; one for each step
 *   ◀────────────────────────── sources ──   files that it has imported; again for further ones
 *   ◀──────────────────────────── ready ──   it listens
 *   ◀─────────────────────────── failed ──   or why it cannot start, right before its end
 *   GET <url>/ok with the gateway token ──▶  200: healthy; repeated from time to time
 *   ── inspect ───────────────────────────▶  compares the previous revision's threads with its graphs
 *   ◀─────────────────────── inspection ──
 *   ── activate ──────────────────────────▶  only to a standby: executes runs from now on
 *   ◀─────────────────────────── active ──
 *   ◀───────────────────────────── load ──   about once a second, when there is something new
 *   ── measure ───────────────────────────▶  from time to time
 *   ◀───────────────────────── reading ───  its metrics
 *   ── drain ─────────────────────────────▶  executes no more runs, still answers requests
 *   ◀────────────────────────── drained ──   no run executes in it any more
 *   ── release ───────────────────────────▶  with `lingerMs`: SIGTERM need not wait for a replacement;
 *                                            with `drainMs` open runs and requests end first
 *   SIGTERM ──────────────────────────────▶  drains, exits with 0
 *   ◀───────────────────── last_reading ──   before that: its final counts
 *   (channel closed: the driver is gone) ─▶  ends itself within seconds, without waiting for runs
 * ```
 * The child leads its own process group, which the driver kills after the child's end; a child that ends because the
 * channel closed kills the group itself (`process.kill(-process.pid)`).
 *
 * `serve` takes part when it was started with `--managed` and an IPC channel. It waits for `start` before it loads any
 * of the project's code. Messages of another `type` are ignored by both sides, so either can be newer.
 */

import { isParkedThreads, type ParkedThreads } from '../core/agent/parked-threads.ts'
import type { DrainLimits, Load } from '../core/deployment/runtime.ts'
import { type AgentReading, isAgentReading } from '../core/figures/reading.ts'
import type { CorsConfig } from '../core/network/cors.ts'

/** How agents reach their control plane, to request tokens of the users they act for. */
export interface Home {
  /** Without a slash at the end. */
  url: string
  /** `agentKeyOf` the deployment. */
  key: string
}

/** The driver's first message, sent once, or the content of `RUNYARD_START_FILE`. */
export interface StartMessage {
  type: 'start'
  deployment_id: string
  deployment_name: string
  revision_id: string
  /** By name; each becomes a variable of the agent server's own environment. */
  secrets: Record<string, string>
  /**
   * The root of the project's source; absolute. Paths of its configuration may not leave it. Absent: there is no such
   * limit.
   */
  sourceRoot?: string
  /** The bundle of the project's modules; absolute. Absent: they are loaded as they are. */
  bundlePath?: string
  /** The Python of the project's build; absolute. Absent: the agent server looks for one. */
  pythonPath?: string
  /** The agent server refuses every request that does not carry it in `GATEWAY_TOKEN_HEADER`. */
  gatewayToken: string
  /** The database for its data; absent: SQLite in the data folder. Secret: it holds a password. */
  databaseUrl?: string
  /**
   * `dataKeyOf` the deployment: encrypts credentials in the database. Absent from older control planes: they are stored
   * unencrypted. Secret.
   */
  dataKey?: string
  /** Its control plane; absent: there is none. Secret: it holds a key. */
  home?: Home
  /** It answers requests, but executes no runs and writes nothing of its own until `activate`. */
  isStandby?: boolean
  /**
   * How long it continues as before after a SIGTERM, in ms, unless it gets `drain`, `stop` or `release`: something
   * other than its driver ends it and starts a replacement at the same moment. Absent: it ends at once.
   */
  lingerMs?: number
}

/** The agent server's first message on a WebSocket. */
interface HelloMessage {
  type: 'hello'
  revision_id: string
  /** It was drained and executes no more runs: a driver that takes over needs another one. */
  is_draining?: boolean
}

/** From the driver, instead of SIGTERM where that does not reach the agent server itself. */
interface StopMessage {
  type: 'stop'
}

/** From the driver: another agent server has taken over, or none will. It has no answer. */
interface ReleaseMessage {
  type: 'release'
  /**
   * How long runs and open requests may continue before it ends, in ms. Absent: it ends at once, even if an earlier
   * release gave it time.
   */
  drainMs?: number
}

/** From the driver. */
interface ActivateMessage {
  type: 'activate'
}

/** Its response. */
interface ActiveMessage {
  type: 'active'
}

/** From the agent server, once, when it listens. */
export interface ReadyMessage {
  type: 'ready'
  /** `http://127.0.0.1:PORT`, without a path, as the agent server knows it. */
  url: string
  /** The pid of the listening process. */
  pid?: number
  /** Whether the project's own auth decides who may use it. */
  has_own_auth?: boolean
  /** Whether it enforces `ROLE_HEADER`, as all do from this version on. */
  checks_roles?: boolean
  /** Whether the project asks for the API keys of its callers. */
  forwards_api_key?: boolean
  /** `http.cors` of its project. */
  cors?: CorsConfig
}

/** Before `ready`: the current step of the agent server's start. */
interface StartingMessage {
  type: 'starting'
  /** The rest of a sentence about the agent server: `imports ./src/agent.py`. */
  doing: string
}

/** Instead of `ready`: the agent server is about to end. */
interface FailedMessage {
  type: 'failed'
  /** For the project's author: a sentence, and on the next lines the place in their files. */
  reason: string
}

/** The project's files, except those in an earlier message. */
interface SourcesMessage {
  type: 'sources'
  /** Absolute, links resolved; none of a `node_modules`. */
  files: string[]
}

interface LoadMessage {
  type: 'load'
  load: Load
}

/** From the driver. */
interface InspectMessage {
  type: 'inspect'
}

/** Its response. */
interface InspectionMessage {
  type: 'inspection'
  /** `null`: it is unknown. */
  parked_threads: ParkedThreads | null
}

/** From the driver. */
interface MeasureMessage {
  type: 'measure'
}

/** Its response. */
interface ReadingMessage {
  type: 'reading'
  reading: AgentReading
}

/** From an agent server that ends: its final counts, after its last run. */
interface LastReadingMessage {
  type: 'last_reading'
  reading: AgentReading
}

/** From the driver. */
export interface DrainMessage extends DrainLimits {
  type: 'drain'
}

/** The response to each `DrainMessage`. */
interface DrainedMessage {
  type: 'drained'
  /** When the next run or cron is due, in ms since 1970; in the past: one is due. */
  next_due_at: number | null
}

/** The messages of a driver. */
export type DriverMessage =
  | StartMessage
  | StopMessage
  | ReleaseMessage
  | ActivateMessage
  | InspectMessage
  | MeasureMessage
  | DrainMessage

/** The messages of an agent server. Its process runs the project's code, which may send anything. */
export type AgentMessage =
  | HelloMessage
  | StartingMessage
  | ReadyMessage
  | FailedMessage
  | SourcesMessage
  | LoadMessage
  | ActiveMessage
  | InspectionMessage
  | ReadingMessage
  | LastReadingMessage
  | DrainedMessage

export function isStartMessage(message: unknown): message is StartMessage {
  return isOfType(message, 'start')
}

export function isHelloMessage(message: unknown): message is HelloMessage {
  return isOfType(message, 'hello') && typeof message.revision_id === 'string'
}

export function isReadyMessage(message: unknown): message is ReadyMessage {
  return isOfType(message, 'ready') && typeof message.url === 'string'
}

export function isStartingMessage(message: unknown): message is StartingMessage {
  return isOfType(message, 'starting') && typeof message.doing === 'string'
}

export function isFailedMessage(message: unknown): message is FailedMessage {
  return isOfType(message, 'failed') && typeof message.reason === 'string'
}

export function isSourcesMessage(message: unknown): message is SourcesMessage {
  if (!isOfType(message, 'sources') || !Array.isArray(message.files)) return false
  return message.files.every((file) => typeof file === 'string')
}

export function isLoadMessage(message: unknown): message is LoadMessage {
  return isOfType(message, 'load') && isLoad(message.load)
}

export function isStopMessage(message: unknown): message is StopMessage {
  return isOfType(message, 'stop')
}

export function isReleaseMessage(message: unknown): message is ReleaseMessage {
  if (!isOfType(message, 'release')) return false
  return message.drainMs === undefined || isAmount(message.drainMs)
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
  if (!isOfType(message, 'inspection')) return false
  return message.parked_threads === null || isParkedThreads(message.parked_threads)
}

export function isMeasureMessage(message: unknown): message is MeasureMessage {
  return isOfType(message, 'measure')
}

export function isReadingMessage(message: unknown): message is ReadingMessage {
  return isOfType(message, 'reading') && isAgentReading(message.reading)
}

export function isLastReadingMessage(message: unknown): message is LastReadingMessage {
  return isOfType(message, 'last_reading') && isAgentReading(message.reading)
}

export function isDrainMessage(message: unknown): message is DrainMessage {
  return isOfType(message, 'drain') && isAmount(message.graceMs) && isAmount(message.checkpointMs)
}

export function isDrainedMessage(message: unknown): message is DrainedMessage {
  return isOfType(message, 'drained') && isTimeOrNone(message.next_due_at)
}

function isLoad(value: unknown): value is Load {
  if (typeof value !== 'object' || value === null) return false
  const { next_due_at, ...amounts } = value as Record<string, unknown>
  const { running, capacity, waiting, lag_ms } = amounts
  return [running, capacity, waiting, lag_ms].every(isAmount) && isTimeOrNone(next_due_at)
}

function isAmount(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0
}

function isTimeOrNone(value: unknown): boolean {
  return value == null || (typeof value === 'number' && Number.isFinite(value))
}

function isOfType(message: unknown, type: string): message is Record<string, unknown> {
  return typeof message === 'object' && message !== null && 'type' in message
    ? message.type === type
    : false
}
