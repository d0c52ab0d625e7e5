/** Operations on revisions. */
import { randomUUID } from 'node:crypto'
import { type Clock, timestamp } from '../../core/clock.ts'
import type { ControlPlaneStore } from '../../core/deployment/control-plane-store.ts'
import type { Deployment } from '../../core/deployment/deployment.ts'
import {
  isRevisionOver,
  REVISION_STATUSES,
  type Revision,
  type RevisionReason,
  type RevisionStatus,
} from '../../core/deployment/revision.ts'
import { AppError } from '../../core/errors.ts'
import type { Principal } from '../../core/people/api-key.ts'
import { answerOf } from '../../http/answer.ts'
import type { ControlPlaneParts } from '../control-plane-parts.ts'
import { refuseDeleted, requireDeployment, requireRevision } from '../deployments/access.ts'
import { deploymentAnswer } from '../deployments/deployment-answers.ts'
import type { DeploymentAnswer } from '../deployments/deployment-schemas.ts'
import { whatItsStartDoes, whyItWaits } from '../deployments/placement.ts'
import { record } from '../people/audit.ts'
import { type RevisionAnswer, RevisionSchema } from './revision-schemas.ts'

/** What a revision is made from. */
export type RevisionSource = Pick<Revision, 'source' | 'source_revision_config'> & {
  /** Absent: the deployment's own. */
  source_config?: Revision['source_config']
  secrets?: Revision['secrets']
  /** Absent: it is built. */
  built_from?: string | null
  /** The number of the revision that it repeats. */
  repeats?: number | null
  commit_author?: string | null
  commit_subject?: string | null
}

/** The caller who wants a revision, and the reason. */
export interface RevisionWish {
  /** Absent: Runyard makes it without a request. */
  principal?: Pick<Principal, 'name'>
  made_for: RevisionReason
  /** What it is about. */
  message?: string | null | undefined
}

export interface DeploymentWithLatest {
  deployment: Deployment
  latest: Revision | undefined
}

/** A deployment's revisions, newest first. Throws `not_found`. */
export async function listRevisions(
  parts: Pick<ControlPlaneParts, 'store' | 'replicas' | 'clock'>,
  principal: Principal,
  deployment_id: string,
  query: { limit: number; offset: number; status?: RevisionStatus[] | undefined },
): Promise<{ resources: RevisionAnswer[]; offset: number }> {
  const deployment = await requireDeployment(parts.store, principal, deployment_id)
  const { limit, offset, status } = query
  const found = await parts.store.revisions.list(deployment_id, {
    limit,
    offset,
    ...(status?.length ? { statuses: status } : {}),
  })
  const resources = await Promise.all(found.map((one) => answerNow(parts, deployment, one)))
  return { resources, offset: offset + found.length }
}

/** The stored revision, with what it waits for or what its start does just now. */
async function answerNow(
  parts: Pick<ControlPlaneParts, 'store' | 'replicas' | 'clock'>,
  deployment: Deployment,
  revision: Revision,
): Promise<RevisionAnswer> {
  const answer = answerOf(RevisionSchema, revision)
  if (answer.status !== 'DEPLOYING') return answer
  const why = (await whyItWaits(parts, deployment)) ?? whatItsStartDoes(parts, revision)
  return { ...answer, status_message: why ?? answer.status_message }
}

/**
 * The revision as it is; a key that still reads its build log sees it BUILDING (`rollout/build-followers.ts`).
 * Throws `not_found` for an unknown deployment or revision.
 */
export async function getRevision(
  parts: Pick<ControlPlaneParts, 'store' | 'replicas' | 'clock' | 'buildFollowers'>,
  principal: Principal,
  deployment_id: string,
  id: string,
): Promise<RevisionAnswer> {
  const deployment = await requireDeployment(parts.store, principal, deployment_id)
  const revision = await requireRevision(parts.store, deployment_id, id)
  const answer = await answerNow(parts, deployment, revision)
  const isBuilt = REVISION_STATUSES.indexOf(answer.status) > REVISION_STATUSES.indexOf('BUILDING')
  if (!isBuilt || !parts.buildFollowers.isBehind(principal, id)) return answer
  return { ...answer, status: 'BUILDING', status_message: null }
}

/**
 * Deploys an older revision again, as a new one: the same commit or tarball, configuration and
 * secrets, which become the deployment's own again. Throws `not_found`, `conflict`.
 */
export async function redeployRevision(
  parts: Pick<ControlPlaneParts, 'store' | 'publicUrl' | 'domain' | 'whenTended' | 'clock'>,
  principal: Principal,
  deployment_id: string,
  id: string,
): Promise<DeploymentAnswer> {
  const stored = await parts.store.transaction(async (store) => {
    const deployment = await requireDeployment(store, principal, deployment_id)
    refuseDeleted(deployment)
    const revision = await requireRevision(store, deployment_id, id)
    const wish = { principal, made_for: 'redeploy' } as const
    const made = await repeatRevision(store, deployment, revision, wish, parts.clock)
    await record(store, parts.clock, principal, {
      action: 'revision.redeploy',
      target_id: made.latest.id,
      target_name: deployment.name,
      detail: { deployment_id, redeployed_revision_id: id, number: revision.number },
    })
    return made
  })
  await parts.whenTended(deployment_id)
  return deploymentAnswer(parts, principal, stored)
}

/**
 * Adds a revision that repeats an older one: its source, its configuration and secrets, which become the
 * deployment's, and its build, if that is still kept. Throws `conflict` when neither the build nor the
 * tarball is.
 */
export async function repeatRevision(
  store: ControlPlaneStore,
  deployment: Deployment,
  revision: Revision,
  wish: RevisionWish,
  clock: Clock,
): Promise<DeploymentWithLatest & { latest: Revision }> {
  await requireTarball(store, revision)
  const source = repeatOf(revision, deployment)
  const { source_config, secrets } = source
  const patch = { source_config, secrets, updated_at: timestamp(clock) }
  await store.deployments.update(deployment.id, patch)
  return addRevision(store, { ...deployment, ...patch }, source, wish, clock)
}

/** What repeats the revision, with those settings as they are now that belong to the deployment. */
export function repeatOf(revision: Revision, { source_config: now }: Deployment) {
  const { parked_threads = null, webhooks = null } = now
  return {
    ...revision,
    source_config: { ...revision.source_config, parked_threads, webhooks },
    built_from: revision.built_from ?? revision.id,
    repeats: revision.number,
  } satisfies RevisionSource
}

/** Throws `conflict` if the tarball is gone. It is kept as long as its build. */
async function requireTarball(store: ControlPlaneStore, revision: Revision): Promise<void> {
  const { source_tarball_path } = revision.source_revision_config
  if (source_tarball_path === null || (await store.uploads.get(source_tarball_path))) return
  throw new AppError(
    'conflict',
    `Revision #${revision.number} cannot be deployed again: its tarball and its build are no longer ` +
      'kept (RUNYARD_KEPT_REVISIONS says how many are). Upload its source again.',
  )
}

/** Adds a revision, by default with the deployment's configuration and secrets as they are now. */
export async function addRevision(
  store: ControlPlaneStore,
  deployment: Deployment,
  source: RevisionSource,
  { principal, made_for, message }: RevisionWish,
  clock: Clock,
): Promise<DeploymentWithLatest & { latest: Revision }> {
  const now = timestamp(clock)
  const latest = await store.revisions.insert({
    id: randomUUID(),
    deployment_id: deployment.id,
    created_at: now,
    updated_at: now,
    status: 'CREATING',
    status_message: null,
    source: source.source,
    source_revision_config: source.source_revision_config,
    source_config: source.source_config ?? deployment.source_config,
    secrets: source.secrets ?? deployment.secrets,
    built_from: source.built_from ?? null,
    deployed_at: null,
    parked_threads: null,
    made_by: principal?.name ?? null,
    made_for,
    repeats: source.repeats ?? null,
    message: message?.trim() || null,
    commit_author: source.commit_author ?? null,
    commit_subject: source.commit_subject ?? null,
  })
  return { deployment: { ...deployment, latest_revision_id: latest.id }, latest }
}

/**
 * Interrupts a revision that has not ended: the next in line may begin at once, while the reconciler ends
 * its build or its agent server. Doing it twice is no error. Throws `not_found`, `conflict` when it has
 * ended in another status.
 */
export async function interruptRevision(
  parts: Pick<ControlPlaneParts, 'store' | 'whenTended' | 'clock'>,
  principal: Principal,
  deployment_id: string,
  id: string,
): Promise<void> {
  await parts.store.transaction(async (store) => {
    const { name } = await requireDeployment(store, principal, deployment_id)
    const { status, number } = await requireRevision(store, deployment_id, id)
    if (status === 'INTERRUPTED') return
    if (isRevisionOver(status)) {
      throw new AppError('conflict', `Revision ID ${id} has ended already: it is ${status}.`)
    }
    await store.revisions.move(id, {
      from: status,
      to: 'INTERRUPTED',
      status_message: `It was interrupted while it was ${status}.`,
      updated_at: timestamp(parts.clock),
    })
    await record(store, parts.clock, principal, {
      action: 'revision.interrupt',
      target_id: id,
      target_name: name,
      detail: { deployment_id, number },
    })
  })
  await parts.whenTended(deployment_id)
}
