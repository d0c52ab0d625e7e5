/**
 * One observation of a deployment: its record, its builds and running revisions on this machine, and the gateway's
 * target. It is read anew for each step; all moments are in ms since 1970.
 */
import type { DeploymentStatus } from '../deployment/deployment.ts'
import type { Revision } from '../deployment/revision.ts'
import type { Replica, RuntimeState } from '../deployment/runtime.ts'
import type { Activity, Entrance, TargetState } from '../deployment/target.ts'
import type { BuildState } from './revision-step.ts'
import type { ScaleLimits } from './scaling.ts'

export interface ObservedDeployment {
  status: DeploymentStatus
  /** Whether a revision was ever made. */
  hasRevisions: boolean
  isAsleep: boolean
  /** When it must wake up without a request; `null`: only a request wakes it. */
  wakeAt: number | null
  /** The revision that should serve; `null`: none was ever deployed. */
  active: ActiveRevision | null
  /** The revisions on their way, the oldest first. */
  line: readonly RevisionOnItsWay[]
  /** Every revision with something running, whatever its status. */
  running: readonly RunningRevision[]
  /** Revisions that are being built, whatever their status. */
  building: readonly string[]
  /** How the gateway should admit requests, and how it does. */
  entrance: { wanted: Entrance; there: Entrance }
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
  /** Its agent servers, and the limits of their number. */
  replicas: readonly Replica[]
  limits: ScaleLimits
  /**
   * The number of the revision deployed before it. Only read if this one died too soon; otherwise, or without one,
   * `null`.
   */
  previous: number | null
}

export interface RevisionOnItsWay extends Pick<Revision, 'id' | 'status'> {
  build: BuildState
  runtime: RuntimeState
  /** When this process first saw its status, or saw the end of its wait. */
  since: number
}

interface RunningRevision {
  id: string
  /** It executes no more runs, and ends once its requests have. */
  isRetiring: boolean
}

/**
 * What a process remembers of the active revision, and of a waiting one, beyond what it can observe. Losing it with the
 * process does no harm: a retry then comes at once, and a surplus agent server stays longer.
 */
export interface Timers {
  revision_id: string | null
  /** When a failed start is retried, and how long that wait is in all. */
  retry: { afterMs: number; at: number } | null
  /** When the load was last too high, or the number of agent servers changed. */
  pressedAt: number | null
  /** The revision on its way that last waited for something beyond its author's control, and when. */
  waited: { revision_id: string; at: number } | null
}

/** How long each thing may take, in ms. */
export interface DeploymentLimits {
  /** How long a revision may be DEPLOYING; longer than the drivers' limit for a start; default 420,000. */
  deployTimeoutMs: number
  /** How long a deployed revision is watched, and taken back if it dies; default 60,000. */
  probationMs: number
  /** How long there must be spare capacity before an agent server is removed; default 60,000. */
  calmMs: number
  /** How long a deployment with min_scale 0 stays awake without requests; default 300,000. */
  idleMs: number
}

/** The active revision if it should run. After a sleep, its remaining servers end first. */
export function runningActive(deployment: ObservedDeployment): ActiveRevision | undefined {
  const { isAsleep, active, running } = deployment
  if (isAsleep || active === null) return undefined
  const isRetiring = running.some((one) => one.id === active.id && one.isRetiring)
  return isRetiring ? undefined : active
}

/** Whether an active revision could not be built or started. It has served, so this may be temporary. */
export function hasFailed({ runtime, build }: ActiveRevision): boolean {
  return runtime.kind === 'failed' || (runtime.kind === 'absent' && build.kind === 'failed')
}

/**
 * How the active revision died, if it died too soon after it was deployed: the revision before takes over again then. A
 * redeployed revision is not taken back: it
 * has served before, so the cause lies elsewhere.
 */
export function deathOnProbation(
  active: Pick<ActiveRevision, 'status' | 'built_from' | 'deployed_at' | 'replicas'>,
  now: number,
  probationMs: number,
): string | undefined {
  const { status, built_from, deployed_at, replicas } = active
  if (status !== 'DEPLOYED' || built_from !== null || deployed_at === null) return undefined
  if (now - Date.parse(deployed_at) >= probationMs) return undefined
  // While it starts, also after a sleep, its `reason` is a step and not a death.
  return replicas.find(({ state, reason }) => state !== 'starting' && reason)?.reason ?? undefined
}
