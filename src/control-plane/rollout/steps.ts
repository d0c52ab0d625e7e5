/** Carries out the steps that `core/rollout/next-step.ts` names, one at a time. */
import { timestamp } from '../../core/clock.ts'
import type { ControlPlaneStore } from '../../core/deployment/control-plane-store.ts'
import { projectSecrets } from '../../core/deployment/deploy-key.ts'
import type { Deployment, DeploymentPatch } from '../../core/deployment/deployment.ts'
import { parseImage } from '../../core/deployment/images/image.ts'
import { pullLogin } from '../../core/deployment/images/registry.ts'
import {
  isRevisionOver,
  type Revision,
  type Secret,
  UNFINISHED_STATUSES,
} from '../../core/deployment/revision.ts'
import type { Endpoints, RuntimeSpec } from '../../core/deployment/runtime.ts'
import { sourceConfigOf } from '../../core/deployment/sources/config.ts'
import { kindOf } from '../../core/deployment/sources/table.ts'
import type { TargetOwner } from '../../core/deployment/target.ts'
import { AppError } from '../../core/errors.ts'
import { scaleLimits } from '../../core/rollout/scaling.ts'
import type { DeploymentStep } from '../../core/rollout/step.ts'
import { noTracer } from '../../core/tracing.ts'
import type { Builds } from './builds.ts'
import { statusMessage } from './failure.ts'
import type { Observation } from './observation.ts'
import { refuseForParkedThreads } from './parked-threads.ts'
import { removeDeployment } from './removal.ts'
import type { Retention } from './retention.ts'
import type { Retirements } from './retirements.ts'
import type { ReconcilerLimits, ReconcilerParts } from './rollout-parts.ts'
import { RolloutSpans } from './rollout-spans.ts'
import { takeBack } from './take-back.ts'

/** How long a request waits for an agent server that starts or wakes, in ms: the sleep ends before its pod answers. */
const START_WAIT_MS = 60_000
/** The same for an agent server that has died and is restarted. */
const RESTART_WAIT_MS = 15_000
/** The end of the year 9999, in ms since 1970: a later time does not fit the timestamp format. */
const LAST_MOMENT = 253_402_300_799_999

interface StepParts extends ReconcilerParts {
  limits: ReconcilerLimits
  builds: Builds
  retirements: Retirements
  retention: Retention
  /** Makes the reconciler look at a deployment: a request came while it slept, or a retirement has ended. */
  lookAt: (deployment_id: string) => void
  /** Aborted when the reconciler stops. */
  stopping: AbortSignal
}

type Step<Kind extends DeploymentStep['kind']> = Extract<DeploymentStep, { kind: Kind }>
type Seen = Pick<Observation, 'deployment' | 'revisions'>

/**
 * After a crash within a step, the next observation names the step again. Throws the error that prevents
 * a step.
 */
export class Steps {
  readonly #parts: StepParts
  readonly #spans: RolloutSpans

  constructor(parts: StepParts) {
    this.#parts = parts
    this.#spans = new RolloutSpans(parts.tracer ?? noTracer)
  }

  async take(step: DeploymentStep, seen: Seen): Promise<void> {
    const { deployment } = seen
    const { builds, targets } = this.#parts
    switch (step.kind) {
      case 'remove':
        return removeDeployment(deployment, this.#parts)
      case 'make-ready':
        return this.#makeReady(deployment)
      case 'make-unused':
        return this.#parts.store.transaction((tx) => this.#makeUnused(tx, deployment.id))
      case 'enter':
        return targets.enter(deployment.name, step.entrance)
      case 'take-back':
        return takeBack(deployment, step, this.#parts)
      case 'wake':
        return this.#wake(deployment)
      case 'sleep':
        return this.#sleep(deployment, step)
      case 'point':
        return this.#point(deployment, step.revision_id, step.endpoints)
      case 'hold':
        return targets.hold(deployment.name, {
          ...ownerOf(deployment),
          limitMs: step.isRestart ? RESTART_WAIT_MS : START_WAIT_MS,
        })
      case 'hold-asleep':
        return this.#holdAsleep(deployment)
      case 'pause':
        return targets.pause(deployment.name, ownerOf(deployment))
      case 'abort':
        this.#spans.ended(step.revision_id)
        return builds.end(step.revision_id)
      case 'retire':
        return this.#retire(deployment, step.revision_id)
      case 'build':
        return builds.begin(revisionOf(seen, step))
      case 'start':
        return this.#start(deployment, revisionOf(seen, step), step.isStandby)
      case 'retry':
        return this.#retry(deployment, revisionOf(seen, step), step.reason)
      case 'scale':
        return this.#scale(deployment, step)
      case 'move':
        return this.#move(deployment, revisionOf(seen, step), step)
      case 'switch':
        return this.#switch(deployment, revisionOf(seen, step), step.endpoints)
    }
  }

  async #makeReady({ id }: Deployment): Promise<void> {
    const { store, clock } = this.#parts
    await store.transaction(async (tx) => {
      // Read again: a deletion meanwhile must not be undone.
      const deployment = await tx.deployments.get(id)
      if (deployment?.status !== 'AWAITING_DATABASE' && deployment?.status !== 'UNUSED') return
      await tx.deployments.update(id, { status: 'READY', updated_at: timestamp(clock) })
    })
  }

  /** Does nothing if a revision serves or is on its way. */
  async #makeUnused(tx: ControlPlaneStore, id: string): Promise<void> {
    const deployment = await tx.deployments.get(id)
    if (deployment?.status !== 'READY' || deployment.active_revision_id !== null) return
    const page = { limit: 1, offset: 0, statuses: UNFINISHED_STATUSES }
    if ((await tx.revisions.list(id, page)).length > 0) return
    await tx.deployments.update(id, { status: 'UNUSED', updated_at: timestamp(this.#parts.clock) })
  }

  async #wake(deployment: Deployment): Promise<void> {
    await this.#update(deployment, { asleep_since: null, wake_at: null })
    this.#parts.log.info({ deployment: deployment.name }, 'it is woken')
  }

  async #sleep(deployment: Deployment, { wakeAt, hasOwnAuth }: Step<'sleep'>): Promise<void> {
    const { clock, log } = this.#parts
    const wake_at = momentOf(wakeAt)
    const asleep_since = timestamp(clock)
    await this.#update(deployment, { asleep_since, wake_at, has_own_auth: hasOwnAuth })
    log.info({ deployment: deployment.name, wake_at }, 'no requests: it sleeps')
  }

  #point(deployment: Deployment, revision_id: string, endpoints: Endpoints): void {
    const target = { ...ownerOf(deployment), revision_id, endpoints }
    this.#parts.targets.set(deployment.name, target)
  }

  #holdAsleep(deployment: Deployment): void {
    const { id, has_own_auth } = deployment
    this.#parts.targets.hold(deployment.name, {
      ...ownerOf(deployment),
      limitMs: START_WAIT_MS,
      onRequest: () => this.#parts.lookAt(id),
      ...(has_own_auth !== null && { hasOwnAuth: has_own_auth }),
    })
  }

  #retire({ id }: Deployment, revision_id: string): void {
    const { retirements, lookAt } = this.#parts
    const ended = retirements.retire(revision_id, (due) => this.#noteDue(id, due))
    // After a failure it waits for the timer: an immediate try would fail again.
    void ended.then((isOver) => isOver && lookAt(id))
  }

  /** Notes when the deployment must wake, if that became known while it went to sleep. */
  async #noteDue(id: string, due: number): Promise<void> {
    const deployment = await this.#parts.store.deployments.get(id)
    if (!deployment || deployment.asleep_since === null) return
    await this.#update(deployment, { wake_at: momentOf(due) })
  }

  /** Does nothing when the revision is not built. */
  async #start(deployment: Deployment, revision: Revision, isStandby: boolean): Promise<void> {
    const built = await this.#parts.builds.find(revision)
    if (!built) return
    const { resource_spec } = sourceConfigOf(revision)
    await this.#parts.driver.start({
      revision_id: revision.id,
      deployment_id: deployment.id,
      deployment_name: deployment.name,
      workspace_id: deployment.tenant_id,
      artifact: built.artifact,
      secrets: [...projectSecrets(revision.secrets), ...webhooksOf(deployment)],
      ...this.#loginFor(built.artifact, revision),
      ...placeOf(deployment),
      resource_spec,
      replicas: Math.max(1, scaleLimits(resource_spec).min),
      isStandby,
    })
  }

  /** The login with which the driver pulls the image. */
  #loginFor(
    artifact: RuntimeSpec['artifact'],
    { deployment_id, secrets }: Revision,
  ): Pick<RuntimeSpec, 'pullLogin'> {
    const image = artifact.image_uri === undefined ? undefined : parseImage(artifact.image_uri)
    const { registry: own } = this.#parts
    const login = image && pullLogin(image, { own, deployment_id, secrets })
    return login ? { pullLogin: login } : {}
  }

  async #retry(deployment: Deployment, revision: Revision, reason: string): Promise<void> {
    const { builds, log } = this.#parts
    const { id: revision_id, number } = revision
    const fields = { deployment: deployment.name, revision_id, number }
    log.warn({ ...fields, reason: statusMessage(reason, revision.secrets) }, 'starting it again')
    builds.forget(revision.id)
    await this.#start(deployment, revision, false)
  }

  #scale(deployment: Deployment, { revision_id, replicas }: Step<'scale'>): void {
    const { driver, targets, limits, log } = this.#parts
    const from = driver.replicas(revision_id).length
    log.info({ deployment: deployment.name, from, to: replicas }, 'scaling')
    driver.scale(revision_id, replicas, async (endpoint) => {
      if (endpoint) await targets.drain({ revision_id, url: endpoint.url }, limits.drainMs)
    })
  }

  async #move(
    deployment: Deployment,
    revision: Revision,
    { to, reason }: Omit<Step<'move'>, 'kind' | 'revision_id'>,
  ) {
    const { store, builds, retention, clock, log } = this.#parts
    // Before it leaves BUILDING: a crash in between does it again.
    if (to === 'AWAITING_DEPLOY') await this.#noteResolved(revision)
    if (to === 'AWAITING_DEPLOY' || to === 'BUILD_FAILED') await this.#noteCommit(revision)
    const { id, number, status: from, secrets } = revision
    const message = reason === undefined ? undefined : statusMessage(reason, secrets)
    const updated_at = timestamp(clock)
    const status_message = message === undefined ? {} : { status_message: message }
    // In one transaction, so that no reader sees a failed revision and a deployment that is READY.
    const isMoved = await store.transaction(async (tx) => {
      const step = { from, to, updated_at, ...status_message }
      if (!(await tx.revisions.move(id, step))) return false
      if (isRevisionOver(to)) await this.#makeUnused(tx, deployment.id)
      return true
    })
    if (!isMoved) return
    this.#spans.moved(deployment, revision, to, message)
    if (isRevisionOver(to)) {
      builds.forget(id)
      retention.note(revision.deployment_id)
    }
    const fields = { revision_id: id, number, deployment: deployment.name, from, to, message }
    log.info(fields, 'revision moved')
  }

  /** A failed build has a commit too, if it was fetched. Without a readable snapshot the rollout goes on. */
  async #noteCommit({ id, source, commit_author }: Revision): Promise<void> {
    if (commit_author !== null || !kindOf(source).hasRepository) return
    const { store, snapshots, log } = this.#parts
    const snapshot = await snapshots.read(id).catch((error: unknown) => {
      log.warn(
        { err: error, revision_id: id },
        "could not read the snapshot of a revision's source",
      )
      return undefined
    })
    if (snapshot?.commit) await store.revisions.setCommit(id, snapshot.commit)
  }

  async #noteResolved(revision: Revision): Promise<void> {
    const { artifact, repo_commit_sha } = (await this.#parts.builds.find(revision)) ?? {}
    const { revisions } = this.#parts.store
    if (repo_commit_sha) await revisions.setResolved(revision.id, { repo_commit_sha })
    const isImage = kindOf(revision.source).artifact === 'image'
    const image = isImage && artifact?.kind === 'image' ? parseImage(artifact.image_uri) : undefined
    if (image?.digest) await revisions.setResolved(revision.id, { image_digest: image.digest })
  }

  /**
   * Until here the new revision has left the runs to the old one. The gateway switches first, so that a
   * client that reads DEPLOYED reaches this revision. The gateway keeps it in memory: a crash before the
   * record is written leaves the revision DEPLOYING and the old one active, and the switch is repeated.
   */
  async #switch(deployment: Deployment, revision: Revision, endpoints: Endpoints): Promise<void> {
    const { store, driver, retention, clock, log } = this.#parts
    const reason = await refuseForParkedThreads(deployment, revision, { store, driver })
    if (reason !== undefined)
      return this.#move(deployment, revision, { to: 'DEPLOY_FAILED', reason })
    await driver.activate(revision.id)
    this.#point(deployment, revision.id, endpoints)
    const now = timestamp(clock)
    const hasMoved = await store.transaction(async (tx) => {
      const step = { from: 'DEPLOYING', to: 'DEPLOYED', updated_at: now, deployed_at: now } as const
      if (!(await tx.revisions.move(revision.id, step))) return false
      const awake = { asleep_since: null, wake_at: null, updated_at: now }
      const forwards_api_key = endpoints.some(({ forwardsApiKey }) => forwardsApiKey === true)
      const active = { active_revision_id: revision.id, forwards_api_key }
      await tx.deployments.update(deployment.id, { ...active, ...awake })
      return true
    })
    if (hasMoved) this.#spans.moved(deployment, revision, 'DEPLOYED')
    const moved = hasMoved ? { from: 'DEPLOYING', to: 'DEPLOYED' } : {}
    const { id: revision_id, number } = revision
    log.info({ revision_id, number, deployment: deployment.name, ...moved }, 'switched')
    retention.note(deployment.id)
  }

  /** Sleep is no change by a user: `updated_at` stays. */
  #update({ id, updated_at }: Deployment, patch: Omit<DeploymentPatch, 'updated_at'>) {
    return this.#parts.store.deployments.update(id, { ...patch, updated_at })
  }
}

function ownerOf(deployment: Deployment): TargetOwner {
  const { id: deployment_id, tenant_id: workspace_id } = deployment
  const { listener_id } = sourceConfigOf(deployment)
  return { deployment_id, workspace_id, ...(listener_id !== null && { listener_id }) }
}

/** The listener and namespace of the deployment, if it does not run here. */
function placeOf(deployment: Deployment): Pick<RuntimeSpec, 'listener_id' | 'k8s_namespace'> {
  const { listener_id, listener_config } = sourceConfigOf(deployment)
  const namespace = listener_config?.k8s_namespace
  if (listener_id === null) return {}
  return { listener_id, ...(typeof namespace === 'string' && { k8s_namespace: namespace }) }
}

function revisionOf({ revisions }: Seen, { revision_id }: { revision_id: string }): Revision {
  const revision = revisions.find(({ id }) => id === revision_id)
  if (revision) return revision
  throw new AppError('internal', `Revision ${revision_id} was not observed.`)
}

/** A due time as agent servers reported it, which may be any number. */
function momentOf(ms: number | null): string | null {
  if (ms === null || ms > LAST_MOMENT) return null
  return new Date(Math.max(0, ms)).toISOString()
}

/** Its agent servers read the deployment's webhooks as a variable, whichever driver starts them. */
function webhooksOf(deployment: Deployment): Secret[] {
  const { webhooks } = sourceConfigOf(deployment)
  if (!webhooks?.length) return []
  return [{ name: 'RUNYARD_WEBHOOKS', value: JSON.stringify(webhooks) }]
}
