/**
 * The messages between a runtime driver and an agent server, in JSON, over one of two channels:
 *
 * - **IPC**, where the agent server is a child of the driver. Secrets are then neither on a command
 *   line nor in an environment that other processes of the same user can read.
 * - **A WebSocket**, where it is not: `GET /internal/runtime` on the port of the agent server, with the gateway's token
 *   in `GATEWAY_TOKEN_HEADER`. The driver connects, and reconnects when the connection breaks. The agent server then
 *   sends `hello`, and repeats `starting`, `ready`, `failed` and `load`; the driver repeats its unanswered
 *   messages at each `ready`. `start` is not sent: it is in the file that `RUNYARD_START_FILE` names. The agent server
 *   accepts this channel as soon as it runs, works without a connection, and sends to all connections: with two drivers
 *   at once, one has just taken over from the other.
 *
 * ```
 * driver                                   agent server (here as a child)
 *   spawn … serve --managed --config C --host 127.0.0.1 --port 0 --data-dir D
 *   ── start ─────────────────────────────▶  takes the secrets into its environment, then loads
 *   ◀───────────────────────── starting ──   the current step of its start; one for each step
 *   ◀────────────────────────── sources ──   files that it has imported; under `dev` only
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
import { isObject } from '../core/json.ts'
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

/** The messages of a driver. */
export type DriverMessage =
  | StartMessage
  /** Instead of SIGTERM where that does not reach the agent server itself. */
  | { type: 'stop' }
  /**
   * Another agent server has taken over, or none will. It has no answer. `drainMs`: how long runs and open requests may
   * continue before the agent server ends, in ms; absent: it ends at once, even if an earlier release gave it time.
   */
  | { type: 'release'; drainMs?: number }
  | { type: 'activate' }
  | { type: 'inspect' }
  | { type: 'measure' }
  | ({ type: 'drain' } & DrainLimits)

/** The messages of an agent server. Its process runs the project's code, which may send anything. */
export type AgentMessage =
  /**
   * The first one on a WebSocket. `is_draining`: it was drained and executes no more runs, so that a driver that takes
   * over needs another one.
   */
  | { type: 'hello'; revision_id: string; is_draining?: boolean }
  /** Before `ready`: the current step of its start, as the rest of a sentence: `imports ./src/agent.py`. */
  | { type: 'starting'; doing: string }
  | ReadyMessage
  /** Instead of `ready`: it is about to end. For the project's author: a sentence, then the place in their files. */
  | { type: 'failed'; reason: string }
  /** The project's files, except those in an earlier message: absolute, links resolved; none of a `node_modules`. */
  | { type: 'sources'; files: string[] }
  | { type: 'load'; load: Load }
  /** The response to `activate`. */
  | { type: 'active' }
  /** The response to `inspect`. `null`: it is unknown. */
  | { type: 'inspection'; parked_threads: ParkedThreads | null }
  /** The response to `measure`. */
  | { type: 'reading'; reading: AgentReading }
  /** From an agent server that ends: its final counts, after its last run. */
  | { type: 'last_reading'; reading: AgentReading }
  /** The response to each `drain`. `next_due_at`: when the next run or cron is due, in ms since 1970. */
  | { type: 'drained'; next_due_at: number | null }

/** The driver's end of the channel. */
export interface AgentLink {
  /** The message is lost if the agent server is not connected. */
  send(message: DriverMessage): void
  /** Calls `listener` with each message, which may be anything. Returns how to unsubscribe. */
  onMessage(listener: (message: unknown) => void): () => void
}

/** The agent server's end of the channel. */
export interface DriverLink {
  /** Resolves when it is handed over; with no listening driver, when waiting is of no use. */
  send(message: AgentMessage): Promise<void>
  /** Calls `listener` with each message, which may be anything. Returns how to unsubscribe. */
  onMessage(listener: (message: unknown) => void): () => void
}

type Message = DriverMessage | AgentMessage
/** The message of a type. */
export type MessageOf<T extends Message['type']> = Extract<Message, { type: T }>

/** Whether it is a whole message of the type. */
export function isMessage<T extends Message['type']>(
  message: unknown,
  type: T,
): message is MessageOf<T> {
  return isObject(message) && message.type === type && (CHECKS[type]?.(message) ?? true)
}

const CHECKS: { [T in Message['type']]?: (message: Record<string, unknown>) => boolean } = {
  hello: ({ revision_id }) => typeof revision_id === 'string',
  starting: ({ doing }) => typeof doing === 'string',
  ready: ({ url }) => typeof url === 'string',
  failed: ({ reason }) => typeof reason === 'string',
  sources: ({ files }) => Array.isArray(files) && files.every((file) => typeof file === 'string'),
  load: ({ load }) => isLoad(load),
  inspection: ({ parked_threads: found }) => found === null || isParkedThreads(found),
  reading: ({ reading }) => isAgentReading(reading),
  last_reading: ({ reading }) => isAgentReading(reading),
  drained: ({ next_due_at }) => isTimeOrNone(next_due_at),
  release: ({ drainMs }) => drainMs === undefined || isAmount(drainMs),
  drain: ({ graceMs, checkpointMs }) => isAmount(graceMs) && isAmount(checkpointMs),
}

function isLoad(value: unknown): boolean {
  if (!isObject(value)) return false
  const { running, capacity, waiting, lag_ms, next_due_at } = value
  return [running, capacity, waiting, lag_ms].every(isAmount) && isTimeOrNone(next_due_at)
}

function isAmount(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0
}

function isTimeOrNone(value: unknown): boolean {
  return value == null || (typeof value === 'number' && Number.isFinite(value))
}
