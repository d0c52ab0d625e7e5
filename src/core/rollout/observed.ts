/**
 * One deployment as it was observed: what its record says, what is built and runs here, and where
 * the gateway leads. It is read anew for each step; all moments are in ms since 1970.
 */
import type { DeploymentStatus } from '../deployment/deployment.ts'
import type { Revision } from '../deployment/revision.ts'
import type { Replica, RuntimeState } from '../deployment/runtime.ts'
import type { Activity, TargetState } from '../deployment/target.ts'
import type { Entrances } from './entrance.ts'
import type { BuildState } from './revision-step.ts'
import type { ScaleLimits } from './scaling.ts'

export interface ObservedDeployment {
  status: DeploymentStatus
  /** Whether a revision was ever made. */
  hasRevisions: boolean
  isAsleep: boolean
  /** When it has to be awake again without being asked; `null`: when it is asked. */
  wakeAt: number | null
  /** The revision that is to serve; `null`: none was ever deployed. */
  active: ActiveRevision | null
  /** The revisions on their way, the oldest first. */
  line: readonly RevisionOnItsWay[]
  /** Every revision of which something runs, whatever its status. */
  running: readonly RunningRevision[]
  /** Revisions that are being built, whatever their status. */
  building: readonly string[]
  /** How the gateway lets requests in. */
  entrance: Entrances
  /** Where the gateway sends the deployment's requests. */
  target: TargetState
  /** Its requests. */
  activity: Activity
  timers: Timers
  limits: DeploymentLimits
  now: number
}

export interface ActiveRevision
  extends Pick<Revision, 'id' | 'status' | 'built_from' | 'deployed_at'> {
  build: BuildState
  runtime: RuntimeState
  /** Its agent servers, and how many it may have. */
  replicas: readonly Replica[]
  limits: ScaleLimits
  /**
   * The number of the revision that was deployed before it. Only looked for when it died too soon;
   * else `null`, as where there is none.
   */
  previous: number | null
}

export interface RevisionOnItsWay extends Pick<Revision, 'id' | 'status'> {
  build: BuildState
  runtime: RuntimeState
  /** Since when it has its status, or has waited for nothing any more, under the eyes of this process. */
  since: number
}

interface RunningRevision {
  id: string
  /** It executes no more runs, and ends once its requests have. */
  isRetiring: boolean
}

/**
 * What a process remembers of the active revision, and of one that waits, beside all that can be observed. It is
 * lost with the process, to no harm: a retry then comes at once, and an agent server too many stays longer.
 */
export interface Timers {
  revision_id: string | null
  /** When one that could not be started is tried again, and how long it waits for that in all. */
  retry: { afterMs: number; at: number } | null
  /** When there was too much to do last, or its agent servers became more or fewer. */
  pressedAt: number | null
  /** The revision on its way that was seen to wait for what its author can do nothing about, and when last. */
  waited: { revision_id: string; at: number } | null
}

/** How long each thing may take, in ms; the defaults are the reconciler's. */
export interface DeploymentLimits {
  /** How long a revision may be DEPLOYING. */
  deployTimeoutMs: number
  /** How long a deployed revision is watched, to be taken back if it dies. */
  probationMs: number
  /** How long there has to be room before an agent server is taken away. */
  calmMs: number
  /** How long nothing may be asked of a deployment with min_scale 0. */
  idleMs: number
}

/** The active revision where it is to run. After a sleep, what is left of it ends first. */
export function runningActive(deployment: ObservedDeployment): ActiveRevision | undefined {
  const { isAsleep, active, running } = deployment
  if (isAsleep || active === null) return undefined
  const isRetiring = running.some((one) => one.id === active.id && one.isRetiring)
  return isRetiring ? undefined : active
}

/** Whether an active revision could not be built or started. It has served, so that may pass. */
export function hasFailed({ runtime, build }: ActiveRevision): boolean {
  return runtime.kind === 'failed' || (runtime.kind === 'absent' && build.kind === 'failed')
}
