/**
 * Runtime drivers: what runs the agent servers of a revision, one or several that share a database.
 * The process driver starts them as child processes.
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
import type { CorsConfig } from '../cors.ts'
import type { ServerReading } from '../figures/reading.ts'
import type { JsonObject } from '../json.ts'
import type { Artifact } from './artifacts/artifact.ts'
import type { RegistryLogin } from './images/pull-secret.ts'
import type { Secret } from './revision.ts'

/** The drivers that there are, by the name that `RUNYARD_RUNTIME` chooses one by. */
export const RUNTIMES = ['process', 'docker', 'kubernetes'] as const
export type RuntimeName = (typeof RUNTIMES)[number]

/** What is to run. It names no path: a driver may start it on another machine. */
export interface RuntimeSpec<A extends Artifact = Artifact> {
  revision_id: string
  deployment_id: string
  deployment_name: string
  /** Whose it is; drivers may keep workspaces apart by it. */
  workspace_id?: string
  /** The listener that is to run it; absent: it runs where the control plane does. */
  listener_id?: string
  /** The namespace that it is to run in, where the driver knows such; absent: the driver's own. */
  k8s_namespace?: string
  artifact: A
  secrets: Secret[]
  /** With what an image is pulled; absent: as anyone. Never shown to what is started. */
  pullLogin?: RegistryLogin
  resource_spec: JsonObject | null
  /** How many agent servers to begin with. Default 1; `scale` changes it. */
  replicas?: number
  /** It answers, but leaves the database to the revision before it until it is activated. */
  isStandby?: boolean
}

export type RuntimeState =
  | { kind: 'absent' }
  /** `reason`: a sentence on what it waits for that is nobody's fault, such as an engine that is away. */
  | { kind: 'starting'; reason?: string }
  /** Those of its agent servers that answer. */
  | { kind: 'healthy'; endpoints: Endpoints }
  /** It was healthy and died; the driver starts it again. `reason` says how it died. */
  | { kind: 'restarting'; reason: string; restarts: number }
  /** It never became healthy; the driver does not try again. `reason` holds its last log lines. */
  | { kind: 'failed'; reason: string }

/** Where the gateway reaches an agent server. */
export interface Endpoint {
  /** `http://127.0.0.1:PORT` */
  url: string
  /** Sent as `x-runyard-gateway`: the agent server answers nobody else. */
  token: string
  /** The project's own auth decides who may use it: the gateway asks for no key. */
  hasOwnAuth?: boolean
  /** It keeps callers to the role that the gateway names. Absent: it is older, and knows no roles. */
  checksRoles?: boolean
  /** The project asks for the API keys of its callers. Otherwise the gateway drops those that it has accepted. */
  forwardsApiKey?: boolean
  /** What pages of other origins may do there. Absent: read and write everything, without cookies. */
  cors?: CorsConfig
}

export type Endpoints = readonly [Endpoint, ...Endpoint[]]

/** Whether the gateway may leave it to all of them who comes in. */
export function haveOwnAuth(endpoints: readonly Endpoint[]): boolean {
  return endpoints.every(({ hasOwnAuth }) => hasOwnAuth === true)
}

/** What an agent server says of itself, about once a second. */
export interface Load {
  /** Runs that execute in it, and how many may. */
  running: number
  capacity: number
  /** Threads of its database with a run that is due and that nobody has room for. */
  waiting: number
  /** How late its event loop was within the last second, in ms. */
  lag_ms: number
  /** When the next run or cron is due that nothing else brings about, in ms since 1970. */
  next_due_at: number | null
}

/** One agent server of a revision, as people and the scaling look at it. */
export interface Replica {
  state: 'starting' | 'healthy' | 'restarting' | 'failed'
  /** When it came to this state, in ms since 1970. */
  since: number
  /** How often it was started again. */
  restarts: number
  /** How it ended last, or what its first start does now, as a sentence; `null`: neither is known. */
  reason: string | null
  /** `null` until it has said so. */
  load: Load | null
}

/** How long runs may go on, in ms, and how long they then have to come to a checkpoint. */
export interface DrainLimits {
  graceMs: number
  checkpointMs: number
}

/** `A`: what it can start. */
export interface RuntimeDriver<A extends Artifact = Artifact> {
  /** Begins; does nothing where the revision is there already and has not failed. */
  start(spec: RuntimeSpec<A>): Promise<void>
  observe(revision_id: string): RuntimeState
  /** The deployment's revisions that are not absent. */
  revisionsOf(deployment_id: string): string[]
  /** Its agent servers, in the order of their start; none where it is absent. */
  replicas(revision_id: string): Replica[]
  /** What the metrics of its agent servers say: of those that answer within a few seconds. */
  readings(revision_id: string): Promise<ServerReading[]>
  /**
   * What agent servers of the deployment had counted when they ended, each once: of those that have ended since this was
   * asked last. One that was killed says nothing, nor does one at a listener.
   */
  takeLastReadings(deployment_id: string): ServerReading[]
  /**
   * Which threads in the middle of a graph the revision cannot go on with. `undefined`: it is not
   * healthy, or could not find out in time.
   */
  inspect(revision_id: string): Promise<ParkedThreads | undefined>
  /**
   * Has a revision that stands by execute runs. Settles when it does, or is gone. Does nothing where
   * it does already or is absent.
   */
  activate(revision_id: string): Promise<void>
  /**
   * Has so many agent servers from now on. One too many leaves the endpoints at once; it is ended
   * when `retire`, which is told where it was, has settled. One that failed is begun anew. Does
   * nothing where the revision is absent.
   */
  scale(
    revision_id: string,
    replicas: number,
    retire: (endpoint: Endpoint | undefined) => Promise<void>,
  ): void
  /**
   * Has it execute no more runs and go on to answer. Settles when none executes in it any more, all
   * having ended or been handed on to another revision or to the next start, or when it is gone.
   * Answers when its next work is due, in ms since 1970; `undefined`: not known, or none.
   */
  drain(revision_id: string, limits: DrainLimits): Promise<number | undefined>
  /** Asks it to end, waits up to `graceMs`, then kills. Does nothing where there is none. */
  stop(revision_id: string, graceMs: number): Promise<void>
  /** Calls back after each change of state. Answers how to unsubscribe. */
  onChange(listener: (revision_id: string, deployment_id: string) => void): () => void
  /** Ends all of it. */
  stopAll(graceMs: number): Promise<void>
  /**
   * For when this process ends, or another one leads: ends what cannot go on without it, as `stopAll` does, and
   * lets go of what can. The next driver takes that over. Nothing else is called after it.
   */
  leave(graceMs: number): Promise<void>
}
