/** Changing a deployment. */

import { isDeepStrictEqual } from 'node:util'
import { timestamp } from '../../core/clock.ts'
import type { ControlPlaneStore } from '../../core/deployment/control-plane-store.ts'
import type { Deployment, DeploymentPatch } from '../../core/deployment/deployment.ts'
import { isRevisionOver, type Revision, type Secret } from '../../core/deployment/revision.ts'
import { sourceConfigOf } from '../../core/deployment/sources/config.ts'
import { AppError } from '../../core/errors.ts'
import type { Principal } from '../../core/people/api-key.ts'
import type { ControlPlaneParts } from '../control-plane-parts.ts'
import { record } from '../people/audit.ts'
import {
  addRevision,
  type DeploymentWithLatest,
  type RevisionSource,
  type RevisionWish,
  repeatOf,
} from '../revisions/revisions.ts'
import {
  isGiven,
  makesRevision,
  refuseImmutable,
  withRevisionConfig,
  withSourceConfig,
} from '../sources/changes.ts'
import { refuseForeignImage } from '../sources/pushed-images.ts'
import {
  checkRevisionSource,
  checkTogether,
  refuseForeign,
  refuseUnprepared,
} from '../sources/rules.ts'
import { requireUpload } from '../sources/uploads.ts'
import { latestOf, refuseDeleted, requireDeployment, requireRevision } from './access.ts'
import { deploymentAnswer } from './deployment-answers.ts'
import type { DeploymentAnswer, DeploymentPatchRequest } from './deployment-schemas.ts'
import { checkSecrets, refuseSecretReferences } from './secret-rules.ts'

/**
 * Changes a deployment. A revision is made when something changes that an agent server is built or
 * started from: a member of `source_revision_config`, a non-empty list of secrets (it replaces
 * all) or of secrets to remove, or what the source's kind names, such as `resource_spec`. A change of
 * `webhooks` deploys the same build again.
 *
 * Throws `not_found`, `forbidden`, `bad_request` for a member that may not change or does not fit
 * the source, `conflict` while the deployment is being deleted.
 */
export async function patchDeployment(
  parts: Pick<
    ControlPlaneParts,
    | 'store'
    | 'artifacts'
    | 'checkResources'
    | 'registry'
    | 'publicUrl'
    | 'domain'
    | 'whenTended'
    | 'clock'
  >,
  principal: Principal,
  id: string,
  request: DeploymentPatchRequest,
): Promise<DeploymentAnswer> {
  refuseSecretReferences(request.secret_references)
  checkSecrets(request.secrets ?? [])
  const stored = await parts.store.transaction(async (store) => {
    const deployment = await requireDeployment(store, principal, id)
    const made_for = deployment.latest_revision_id === null ? 'create' : 'change'
    const wish = { principal, made_for, message: request.message } as const
    const patched = await applyPatch(parts, store, deployment, request, wish)
    const made = newRevision(deployment, patched)
    await record(store, parts.clock, principal, {
      action: 'deployment.update',
      target_id: id,
      target_name: deployment.name,
      detail: {
        fields: Object.keys(request),
        revision_id: made?.id ?? null,
        ...(made && { number: made.number }),
        ...(request.is_public != null && { is_public: request.is_public }),
      },
    })
    return patched
  })
  await parts.whenTended(id)
  return deploymentAnswer(parts, principal, stored)
}

/**
 * Writes the change, and a revision if it makes one; with `isRevisionWanted` always. Throws as
 * `patchDeployment`.
 */
export async function applyPatch(
  parts: Pick<ControlPlaneParts, 'artifacts' | 'checkResources' | 'registry' | 'clock'>,
  store: ControlPlaneStore,
  deployment: Deployment,
  request: DeploymentPatchRequest,
  wish: RevisionWish,
  isRevisionWanted = asksForRevision(deployment, request),
): Promise<DeploymentWithLatest> {
  refuseDeleted(deployment)
  refuseRenaming(deployment, request)
  const before = sourceConfigOf(deployment)
  refuseImmutable(before, request.source_config)
  const config = withSourceConfig(before, request.source_config)
  // A `resource_spec` from before this rule stays until it is changed.
  const isResized = request.source_config?.resource_spec != null
  if (isResized && config.resource_spec) parts.checkResources?.(config.resource_spec)
  const patch: DeploymentPatch = {
    updated_at: timestamp(parts.clock),
    source_config: config,
    ...(request.display_name != null && { display_name: request.display_name || null }),
    secrets: secretsAfter(deployment, request),
    ...(request.is_public != null && { is_public: request.is_public }),
  }
  const patched = { ...deployment, ...patch }
  const latest = await latestOf(store, deployment)
  const next = isRevisionWanted ? nextSource(parts, patched, latest, request) : undefined
  if (next) await requireUpload(store, deployment.id, next.source_revision_config)
  else checkSetting(patched, latest)
  await store.deployments.update(deployment.id, patch)
  const areWebhooksKept = isDeepStrictEqual(config.webhooks ?? [], before.webhooks ?? [])
  const source = next ?? (areWebhooksKept ? undefined : await restarted(store, patched, latest))
  return source
    ? addRevision(store, patched, source, wish, parts.clock)
    : { deployment: patched, latest }
}

/**
 * Agent servers read some settings at their start only: the revision on its way, or else the one that serves, is
 * deployed again from the same build, with its own configuration and secrets: those of a later revision that failed
 * do not go live with it. `undefined`: there is none.
 */
async function restarted(
  store: ControlPlaneStore,
  deployment: Deployment,
  latest: Revision | undefined,
): Promise<RevisionSource | undefined> {
  const { id, active_revision_id } = deployment
  const isUnderWay = latest && !isRevisionOver(latest.status)
  const active = active_revision_id ?? undefined
  const revision = isUnderWay ? latest : active && (await requireRevision(store, id, active))
  if (!revision) return undefined
  const repeat = repeatOf(revision, deployment)
  // The parked-thread rule still applies to a new revision that has not served yet.
  return isUnderWay ? { ...repeat, repeats: latest.repeats } : repeat
}

function newRevision(before: Deployment, { latest }: DeploymentWithLatest): Revision | undefined {
  return latest?.id === before.latest_revision_id ? undefined : latest
}

function asksForRevision({ source }: Deployment, request: DeploymentPatchRequest): boolean {
  return (
    isGiven(request.source_revision_config) ||
    makesRevision(request.revision_source ?? source, request.source_config) ||
    Boolean(request.secrets?.length) ||
    Boolean(request.removed_secrets?.length)
  )
}

/** Throws `bad_request` when a secret to remove does not exist. */
function secretsAfter(
  { secrets: before }: Deployment,
  { secrets: sent, removed_secrets }: DeploymentPatchRequest,
): Secret[] {
  const secrets = sent?.length ? sent : before
  const removed = new Set(removed_secrets)
  for (const name of removed) {
    if (secrets.some((one) => one.name === name)) continue
    throw new AppError('bad_request', `removed_secrets: there is no secret "${name}" to remove.`)
  }
  return secrets.filter(({ name }) => !removed.has(name))
}

/** The source of the patch's revision. */
function nextSource(
  { artifacts, registry }: Pick<ControlPlaneParts, 'artifacts' | 'checkResources' | 'registry'>,
  patched: Deployment,
  latest: Revision | undefined,
  request: DeploymentPatchRequest,
): RevisionSource {
  const source = request.revision_source ?? patched.source
  const deployment = sourceConfigOf(patched)
  refuseUnprepared(source, patched, deployment)
  const config = withRevisionConfig(source, latest, request.source_revision_config)
  checkRevisionSource(source, config, { deployment, artifacts })
  if (source === 'internal_docker') refuseForeignImage(patched.id, config, registry)
  return { source, source_revision_config: config }
}

/** A setting alone makes no revision, but must fit the latest one. */
function checkSetting(patched: Deployment, latest: Revision | undefined): void {
  const config = sourceConfigOf(patched)
  refuseForeign(patched.source, 'source_config', config)
  if (latest) checkTogether(latest.source, latest.source_revision_config, config)
}

function refuseRenaming(deployment: Deployment, request: DeploymentPatchRequest): void {
  for (const field of ['name', 'source'] as const) {
    const sent = request[field] ?? deployment[field]
    if (sent === deployment[field]) continue
    throw new AppError('bad_request', `${field} cannot be changed after a deployment was created.`)
  }
}
