/**
 * What a runtime driver and an agent server say to each other, in JSON, by one of two channels:
 *
 * - **IPC**, where the agent server is a child of the driver. Secrets are then neither on a command
 *   line nor in an environment that other processes of the same user can read.
 * - **A WebSocket**, where it is not: `GET /internal/runtime` on the port of the agent server, with the
 *   gateway's token in `GATEWAY_TOKEN_HEADER`. The driver connects, and again after the connection has
 *   broken; it is then told `hello`, and `starting`, `ready`, `failed`, `sources` and `load` once more, and asks at each
 *   `ready` once more what it has no answer to. `start` is not sent: it lies in the file that
 *   `RUNYARD_START_FILE` names. The agent server takes this channel as soon as it lives, goes on when nobody is connected, and tells
 *   all who are: two drivers at once are one that has just taken over from the other.
 *
 * ```
 * driver                                   agent server (here as a child)
 *   spawn … serve --managed --config C --host 127.0.0.1 --port 0 --data-dir D
 *   ── start ─────────────────────────────▶  takes the secrets into its environment, then loads
 *   ◀───────────────────────── starting ──   what its start does now; again with each step
 *   ◀────────────────────────── sources ──   files that it has imported; again when there are more
 *   ◀──────────────────────────── ready ──   it listens
 *   ◀─────────────────────────── failed ──   or why it does not get there, right before its end
 *   GET <url>/ok with the gateway token ──▶  200: healthy; asked again from time to time
 *   ── inspect ───────────────────────────▶  compares threads of the revision before with its graphs
 *   ◀─────────────────────── inspection ──
 *   ── activate ──────────────────────────▶  only to one that stands by: executes runs from now on
 *   ◀─────────────────────────── active ──
 *   ◀───────────────────────────── load ──   about once a second, when there is something new
 *   ── measure ───────────────────────────▶  from time to time
 *   ◀───────────────────────── reading ───  what its metrics say
 *   ── drain ─────────────────────────────▶  executes no more runs, goes on to answer
 *   ◀────────────────────────── drained ──   none executes in it any more
 *   ── release ───────────────────────────▶  where it has `lingerMs`: SIGTERM need not wait for another;
 *                                            with `drainMs` what is open there ends first
 *   SIGTERM ──────────────────────────────▶  drains, exits with 0
 *   ◀───────────────────── last_reading ──   before that: what it has counted
 *   (channel closed: the driver is gone) ─▶  ends itself within seconds, without waiting for runs
 * ```
 * The child leads a process group of its own, which the driver kills after the child's end; a child
 * that ends because the channel closed kills the group itself (`process.kill(-process.pid)`).
 *
 * `serve` takes part when it was started with `--managed` and an IPC channel. It waits
 * for `start` before it loads any of the project's code. Messages of another `type` are ignored by
 * both sides, so that either can be newer.
 */

import { isParkedThreads, type ParkedThreads } from '../agent/parked-threads.ts'
import type { CorsConfig } from '../cors.ts'
import { type AgentReading, isAgentReading } from '../figures/reading.ts'
import type { DrainLimits, Load } from './runtime.ts'

/** Where an agent server that is no child takes the WebSocket of its driver. */
export const RUNTIME_LINK_PATH = '/internal/runtime'

/**
 * Where whoever looks after an agent server that is no child asks whether it can be asked, with no token: 200, or
 * 503 before its project is loaded and after its end has begun. The answer says nothing else.
 */
export const RUNTIME_PROBE_PATH = '/internal/ok'

/** `cancel` on an answer about a run: the run is cancelled when the client leaves before its end. For the gateway only. */
export const ON_LEAVE_HEADER = 'x-runyard-on-leave'

/** The header that carries `Endpoint.token`. */
export const GATEWAY_TOKEN_HEADER = 'x-runyard-gateway'

/** The header beside it with the `user_id` of whom the gateway has let in, percent-encoded. */
export const CALLER_HEADER = 'x-runyard-caller'

/** The header beside that one with their role. Absent: the gateway asked for none. */
export const ROLE_HEADER = 'x-runyard-role'

/** How agents reach their control plane, to ask for the tokens of the people they act for. */
export interface Home {
  /** Without a slash at the end. */
  url: string
  /** `agentKeyOf` the deployment. */
  key: string
}

/** The driver's first message, sent once, or what `RUNYARD_START_FILE` holds. */
export interface StartMessage {
  type: 'start'
  deployment_id: string
  deployment_name: string
  revision_id: string
  /** By name; each becomes a variable of the agent server's own environment. */
  secrets: Record<string, string>
  /** The top of the project's source; absolute. No path of its configuration may leave it. Absent: there is no such border. */
  sourceRoot?: string
  /** The bundle of the project's modules; absolute. Absent: they are loaded as they are. */
  bundlePath?: string
  /** The Python that the project's build has installed for; absolute. Absent: it is looked for. */
  pythonPath?: string
  /** The agent server refuses every request that does not carry it in `GATEWAY_TOKEN_HEADER`. */
  gatewayToken: string
  /** Where it keeps its data; absent: in SQLite in the data folder. Secret: it holds a password. */
  databaseUrl?: string
  /**
   * `dataKeyOf` the deployment: encrypts credentials in the database. Absent where the control plane is older: they are
   * stored as they are. Secret.
   */
  dataKey?: string
  /** Where its control plane is; absent: there is none. Secret: it holds a key. */
  home?: Home
  /** Answers, but executes no runs and writes nothing of itself until `activate` comes. */
  isStandby?: boolean
  /**
   * How long it goes on as before after a SIGTERM, in ms, unless it is told to drain, to stop or is released: somebody else
   * than its driver ends it, who has another one started at the same moment. Absent: it ends at once.
   */
  lingerMs?: number
}

/** The agent server's first message on a WebSocket. */
interface HelloMessage {
  type: 'hello'
  revision_id: string
  /** It has been told to drain, and executes no more runs: a driver that takes over needs another one. */
  is_draining?: boolean
}

/** Of the driver, in place of SIGTERM where that does not reach the agent server itself. */
interface StopMessage {
  type: 'stop'
}

/** Of the driver: another agent server answers in its place, or none shall. It is not answered. */
interface ReleaseMessage {
  type: 'release'
  /**
   * How long runs and open requests may go on before it ends, in ms. Absent: it ends at once, also one that was released
   * with a time before.
   */
  drainMs?: number
}

/** Of the driver. */
interface ActivateMessage {
  type: 'activate'
}

/** The answer to it. */
interface ActiveMessage {
  type: 'active'
}

/** The agent server's answer once it listens, sent once. */
export interface ReadyMessage {
  type: 'ready'
  /** `http://127.0.0.1:PORT`, without a path, as the agent server knows it. */
  url: string
  /** Of the process that listens. */
  pid?: number
  /** Whether the project's own auth decides who may use it. */
  has_own_auth?: boolean
  /** Whether it keeps callers to their `ROLE_HEADER`, as every one does from this version on. */
  checks_roles?: boolean
  /** Whether the project asks for the API keys of its callers. */
  forwards_api_key?: boolean
  /** `http.cors` of its project. */
  cors?: CorsConfig
}

/** Before it: which step of its start the agent server is at. */
interface StartingMessage {
  type: 'starting'
  /** The rest of a sentence about the agent server: `imports ./src/agent.py`. */
  doing: string
}

/** Instead of it: the agent server is about to end. */
interface FailedMessage {
  type: 'failed'
  /** For the project's author: a sentence, and on the lines after it where in their files. */
  reason: string
}

/** The files that the project consists of, so far as they are not in an earlier message. */
interface SourcesMessage {
  type: 'sources'
  /** Absolute, links resolved; none of a `node_modules`. */
  files: string[]
}

interface LoadMessage {
  type: 'load'
  load: Load
}

/** Of the driver. */
interface InspectMessage {
  type: 'inspect'
}

/** The answer to it. */
interface InspectionMessage {
  type: 'inspection'
  /** `null`: it could not be found out. */
  parked_threads: ParkedThreads | null
}

/** Of the driver. */
interface MeasureMessage {
  type: 'measure'
}

/** The answer to it. */
interface ReadingMessage {
  type: 'reading'
  reading: AgentReading
}

/** Of an agent server that ends: what it has counted to its end, in which no run executes any more. */
interface LastReadingMessage {
  type: 'last_reading'
  reading: AgentReading
}

/** Of the driver. */
export interface DrainMessage extends DrainLimits {
  type: 'drain'
}

/** The answer to each `DrainMessage`. */
interface DrainedMessage {
  type: 'drained'
  /** When the next run or cron is due, in ms since 1970; in the past: there is one to execute. */
  next_due_at: number | null
}

/** What a driver says. */
export type DriverMessage =
  | StartMessage
  | StopMessage
  | ReleaseMessage
  | ActivateMessage
  | InspectMessage
  | MeasureMessage
  | DrainMessage

/** What an agent server says. Its process runs the project's code, which may send anything. */
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
