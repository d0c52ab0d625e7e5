/**
 * Runtime drivers run the agent servers of a revision, one or several that share a database. The process driver starts
 * them as child processes.
 *
 * ```
 * absent ──start──▶ starting ──/ok──▶ healthy ──stop──▶ absent
 *                      │  ▲               │
 *                      │  └── restarting ◀┘ it died or hung after it had been healthy; back-off
 *                      └──▶ failed        it died, or was not healthy in time, before it ever was
 * ```
 * A revision is healthy as long as one of its agent servers is.
 */

import type { ParkedThreads } from '../agent/parked-threads.ts'
import type { ServerReading } from '../figures/reading.ts'
import type { JsonObject } from '../json.ts'
import type { CorsConfig } from '../network/cors.ts'
import type { Artifact } from './artifacts/artifact.ts'
import type { RegistryLogin } from './images/pull-secret.ts'
import type { Secret } from './revision.ts'

/** The drivers, by their names in `RUNYARD_RUNTIME`. */
export const RUNTIMES = ['process', 'docker', 'kubernetes'] as const
export type RuntimeName = (typeof RUNTIMES)[number]

/** What to run. It names no path: a driver may start it on another machine. */
export interface RuntimeSpec<A extends Artifact = Artifact> {
  revision_id: string
  deployment_id: string
  deployment_name: string
  /** Its workspace; drivers may keep workspaces apart. */
  workspace_id?: string
  /** The listener that runs it; absent: it runs where the control plane does. */
  listener_id?: string
  /** Its namespace, if the driver has namespaces; absent: the driver's own. */
  k8s_namespace?: string
  artifact: A
  secrets: Secret[]
  /** The login for pulling the image; absent: none. The agent servers never see it. */
  pullLogin?: RegistryLogin
  resource_spec: JsonObject | null
  /** How many agent servers to begin with. Default 1; `scale` changes it. */
  replicas?: number
  /** It answers, but leaves the database to the previous revision until it is activated. */
  isStandby?: boolean
}

export type RuntimeState =
  | { kind: 'absent' }
  /** `reason`: a sentence about an external cause that it waits for, such as an engine that is away. */
  | { kind: 'starting'; reason?: string }
  /** `endpoints`: the agent servers that answer. */
  | { kind: 'healthy'; endpoints: Endpoints }
  /** It was healthy and died; the driver starts it again. `reason` says how it died. */
  | { kind: 'restarting'; reason: string; restarts: number }
  /** It never became healthy; the driver does not try again. `reason` holds its last log lines. */
  | { kind: 'failed'; reason: string }

/** Where the gateway reaches an agent server. */
export interface Endpoint {
  /** `http://127.0.0.1:PORT` */
  url: string
  /** Sent as `x-runyard-gateway`: the agent server refuses requests without it. */
  token: string
  /** The project's own auth decides who may use it: the gateway asks for no key. */
  hasOwnAuth?: boolean
  /** It enforces the role that the gateway sends. Absent: it is older, and knows no roles. */
  checksRoles?: boolean
  /** The project asks for the API keys of its callers. Otherwise the gateway drops those that it has accepted. */
  forwardsApiKey?: boolean
  /** What pages of other origins may do there. Absent: read and write everything, without cookies. */
  cors?: CorsConfig
}

export type Endpoints = readonly [Endpoint, ...Endpoint[]]

/** Whether there is at least one. */
export function areEndpoints(all: readonly Endpoint[]): all is Endpoints {
  return all.length > 0
}

/** Whether all of them decide themselves who may call. */
export function haveOwnAuth(endpoints: readonly Endpoint[]): boolean {
  return endpoints.every(({ hasOwnAuth }) => hasOwnAuth === true)
}

/** What an agent server reports about itself, about once a second. */
export interface Load {
  /** Runs that execute in it, and how many may. */
  running: number
  capacity: number
  /** Threads of its database with a due run for which no server has room. */
  waiting: number
  /** How late its event loop was within the last second, in ms. */
  lag_ms: number
  /** When the next run or cron is due by time alone, in ms since 1970. */
  next_due_at: number | null
}

/** One agent server of a revision, for status pages and for scaling. */
export interface Replica {
  state: 'starting' | 'healthy' | 'restarting' | 'failed'
  /** When it reached this state, in ms since 1970. */
  since: number
  /** How often it was started again. */
  restarts: number
  /** How it last ended, or the current step of its first start, as a sentence; `null`: unknown. */
  reason: string | null
  /** `null` until it reports one. */
  load: Load | null
}

/** How long runs may continue, in ms, and how long they then have to reach a checkpoint. */
export interface DrainLimits {
  graceMs: number
  checkpointMs: number
}

export interface RuntimeDriver {
  /**
   * Starts the revision; does nothing if it is present and has not failed. If it cannot start the artifact, the
   * revision becomes `failed`.
   */
  start(spec: RuntimeSpec): Promise<void>
  observe(revision_id: string): RuntimeState
  /** The deployment's revisions that are not absent. */
  revisionsOf(deployment_id: string): string[]
  /** Its agent servers, in the order of their start; none if it is absent. */
  replicas(revision_id: string): Replica[]
  /** The metrics of its agent servers: of those that answer within a few seconds. */
  readings(revision_id: string): Promise<ServerReading[]>
  /**
   * The final counts of the deployment's agent servers, each once: of those that have ended since the last call. Killed
   * ones and those at a listener report nothing.
   */
  takeLastReadings(deployment_id: string): ServerReading[]
  /**
   * The parked threads that the revision cannot continue. `undefined`: it is not healthy, or could not find out in
   * time.
   */
  inspect(revision_id: string): Promise<ParkedThreads | undefined>
  /**
   * Makes a standby revision execute runs. Settles when it does, or is gone. Does nothing if it already does or is
   * absent.
   */
  activate(revision_id: string): Promise<void>
  /**
   * Sets the number of agent servers. A surplus one leaves the endpoints at once, and ends when `retire`, called with
   * its endpoint, has settled. A failed one is started again. Does nothing if the revision is absent.
   */
  scale(
    revision_id: string,
    replicas: number,
    retire: (endpoint: Endpoint | undefined) => Promise<void>,
  ): void
  /**
   * Stops executing runs and continues to answer requests. Settles when no run executes in it: all have ended or were
   * handed on to another revision or to the next start, or it is gone. Returns when its next work is due, in ms since
   * 1970; `undefined`: unknown, or none.
   */
  drain(revision_id: string, limits: DrainLimits): Promise<number | undefined>
  /** Asks it to end, waits up to `graceMs`, then kills. Does nothing if it is absent. */
  stop(revision_id: string, graceMs: number): Promise<void>
  /** Calls back after each change of state. Returns an unsubscribe function. */
  onChange(listener: (revision_id: string, deployment_id: string) => void): () => void
  /** Stops all revisions. */
  stopAll(graceMs: number): Promise<void>
  /**
   * For the end of this process, or of its lead: stops what cannot run without it, as `stopAll` does, and leaves the
   * rest running for the next driver to take over. Nothing is called after it.
   */
  leave(graceMs: number): Promise<void>
}
