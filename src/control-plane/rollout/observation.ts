/** The reconciler's view of a deployment: its record, its builds, its agent servers, and the gateway. */
import type { ControlPlaneStore } from '../../core/deployment/control-plane-store.ts'
import type { Deployment } from '../../core/deployment/deployment.ts'
import {
  isRevisionOver,
  type Revision,
  UNFINISHED_STATUSES,
} from '../../core/deployment/revision.ts'
import { sourceConfigOf } from '../../core/deployment/sources/config.ts'
import type { Entrance } from '../../core/deployment/target.ts'
import {
  type ActiveRevision,
  type DeploymentLimits,
  deathOnProbation,
  type ObservedDeployment,
  type RevisionOnItsWay,
  type Timers,
} from '../../core/rollout/observed.ts'
import type { BuildState } from '../../core/rollout/revision-step.ts'
import { scaleLimits } from '../../core/rollout/scaling.ts'
import { followTimers, followWaiting, NO_TIMERS } from '../../core/rollout/timers.ts'
import { previousOf } from '../revisions/rollback.ts'
import type { Builds } from './builds.ts'
import type { Retirements } from './retirements.ts'
import type { ReconcilerParts } from './rollout-parts.ts'

/** More than wait at a time; were there more, the oldest of these would be skipped as it should. */
const LINE_LENGTH = 1000

interface ObserverParts
  extends Pick<ReconcilerParts, 'store' | 'driver' | 'targets' | 'clock' | 'log'> {
  builds: Builds
  retirements: Retirements
  limits: DeploymentLimits
}

/** A deployment with the records that its next step may be about. */
export interface Observation {
  deployment: Deployment
  /** The active revision and those on their way. */
  revisions: readonly Revision[]
  observed: ObservedDeployment
}

export class Observer {
  readonly #parts: ObserverParts
  /** When this process began to watch, in ms since 1970: it has waited for no revision before. */
  readonly #since: number

  constructor(parts: ObserverParts) {
    this.#parts = parts
    this.#since = parts.clock.now()
  }

  /** `undefined`: the deployment no longer exists. */
  async observe(id: string, timers: Timers = NO_TIMERS): Promise<Observation | undefined> {
    const { store, driver, targets, builds, retirements, limits, clock } = this.#parts
    const deployment = await store.deployments.get(id)
    if (!deployment) return undefined
    const revisions = await this.#revisionsOf(deployment)
    const active = await this.#observeActive(deployment, revisions)
    const now = clock.now()
    const unfinished = revisions.filter(({ status }) => !isRevisionOver(status))
    const line = await Promise.all(unfinished.map((one) => this.#observeLine(deployment, one)))
    const waited = followWaiting(timers.waited, line, now)
    const observed = {
      status: deployment.status,
      hasRevisions: deployment.latest_revision_id !== null,
      isAsleep: deployment.asleep_since !== null,
      wakeAt: deployment.wake_at === null ? null : Date.parse(deployment.wake_at),
      active,
      line: line.map((one) =>
        one.id === waited?.revision_id ? { ...one, since: Math.max(one.since, waited.at) } : one,
      ),
      running: driver.revisionsOf(id).map((revision_id) => ({
        id: revision_id,
        isRetiring: retirements.has(revision_id),
      })),
      building: builds.runningOf(id),
      entrance: {
        wanted: await entranceWanted(store, deployment),
        there: targets.entrance(deployment.name),
      },
      target: targets.observe(deployment.name),
      activity: targets.activity(deployment.name),
      timers: { ...followTimers(timers, active, now), waited },
      limits,
      now,
    }
    return { deployment, revisions, observed }
  }

  /** The active one and those on their way, the oldest first. */
  async #revisionsOf({ id, active_revision_id }: Deployment): Promise<Revision[]> {
    const statuses = UNFINISHED_STATUSES
    const page = { limit: LINE_LENGTH, offset: 0, statuses, also: active_revision_id }
    return (await this.#parts.store.revisions.list(id, page)).reverse()
  }

  async #observeLine(deployment: Deployment, revision: Revision): Promise<RevisionOnItsWay> {
    const { id, status, updated_at } = revision
    return {
      id,
      status,
      build: await this.#buildOf(deployment, revision),
      runtime: this.#parts.driver.observe(id),
      since: Math.max(Date.parse(updated_at), this.#since),
    }
  }

  async #observeActive(
    deployment: Deployment,
    revisions: readonly Revision[],
  ): Promise<ActiveRevision | null> {
    const revision = revisions.find(({ id }) => id === deployment.active_revision_id)
    if (!revision) return null
    const { driver, store, limits, clock } = this.#parts
    const { id, status, built_from, deployed_at } = revision
    const replicas = driver.replicas(id)
    const runtime = driver.observe(id)
    const active = { id, status, built_from, deployed_at, replicas, runtime }
    const hasDied = deathOnProbation(active, clock.now(), limits.probationMs) !== undefined
    return {
      ...active,
      // A running revision was built: no need to look on disk each time.
      build:
        runtime.kind === 'healthy' ? { kind: 'built' } : await this.#buildOf(deployment, revision),
      limits: scaleLimits(sourceConfigOf(revision).resource_spec),
      previous: hasDied ? ((await previousOf(store, deployment))?.number ?? null) : null,
    }
  }

  /** An unreadable record must not hide the rest of the deployment. */
  async #buildOf({ status }: Deployment, revision: Revision): Promise<BuildState> {
    // The deployment is removed, built or not.
    if (status === 'AWAITING_DELETE') return { kind: 'unknown' }
    try {
      return await this.#parts.builds.state(revision)
    } catch (error) {
      const fields = { err: error, revision_id: revision.id }
      this.#parts.log.error(fields, 'the record of a build could not be read; looking again')
      return { kind: 'unknown' }
    }
  }
}

/** Each look calls this: hosts are only read for deployments at a listener. */
export async function entranceWanted(
  { domains }: Pick<ControlPlaneStore, 'domains'>,
  deployment: Deployment,
): Promise<Entrance> {
  const isHere = sourceConfigOf(deployment).listener_id === null
  return {
    isPublic: deployment.is_public,
    hosts: isHere ? [] : await domains.listHosts(deployment.id),
  }
}
