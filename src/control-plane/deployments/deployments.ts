/** Operations on deployments. */
import { randomUUID } from 'node:crypto'
import { timestamp } from '../../core/clock.ts'
import {
  type Deployment,
  type DeploymentFilter,
  FREE_DEPLOYMENT_TYPES,
} from '../../core/deployment/deployment.ts'
import { EMPTY_SOURCE_CONFIG, type SourceConfig } from '../../core/deployment/sources/config.ts'
import type { SourceKind } from '../../core/deployment/sources/kind.ts'
import { kindOf } from '../../core/deployment/sources/table.ts'
import { AppError } from '../../core/errors.ts'
import { isAllowed, type Principal } from '../../core/people/api-key.ts'
import type { ControlPlaneParts } from '../control-plane-parts.ts'
import { record } from '../people/audit.ts'
import { addRevision, type RevisionSource } from '../revisions/revisions.ts'
import { withRevisionConfig, withSourceConfig } from '../sources/changes.ts'
import { checkRevisionSource, checkSource } from '../sources/rules.ts'
import type { SourceRevisionConfigRequest } from '../sources/source-schemas.ts'
import { latestOf, requireDeployment } from './access.ts'
import { deploymentAnswer } from './deployment-answers.ts'
import type {
  BulkDeletion,
  DeploymentAnswer,
  DeploymentCreateRequest,
  DeploymentsQuery,
} from './deployment-schemas.ts'
import { checkListener } from './placement.ts'
import { checkSecrets, refuseSecretReferences } from './secret-rules.ts'

/**
 * Makes a deployment and its first revision. If the source has to be uploaded, the first revision comes
 * with the first PATCH that names the upload.
 *
 * Throws `forbidden` for a setting of the source that needs an admin, `bad_request` for what the source
 * does not allow, `conflict` when the name is taken.
 */
export async function createDeployment(
  parts: Pick<
    ControlPlaneParts,
    'store' | 'artifacts' | 'checkResources' | 'publicUrl' | 'domain' | 'whenTended' | 'clock'
  >,
  principal: Principal,
  request: DeploymentCreateRequest,
): Promise<DeploymentAnswer> {
  const config = withSourceConfig(EMPTY_SOURCE_CONFIG, request.source_config)
  const isAdmin = isAllowed(principal.role, 'administer')
  await checkListener(parts, principal, request.source, config)
  checkSource(request.source, config, { artifacts: parts.artifacts, isAdmin })
  if (config.resource_spec) parts.checkResources?.(config.resource_spec)
  checkSecrets(request.secrets)
  refuseSecretReferences(request.secret_references)
  const first = firstRevision(parts, request, config)
  const deployment = { ...newDeployment(parts, principal, request), source_config: config }
  const stored = await parts.store.transaction(async (store) => {
    if (!(await store.deployments.insert(deployment))) throw nameIsTaken(deployment.name)
    await record(store, parts.clock, principal, {
      action: 'deployment.create',
      target_id: deployment.id,
      target_name: deployment.name,
      detail: {
        source: deployment.source,
        ...(deployment.is_public && { is_public: true }),
      },
    })
    if (!first) return { deployment, latest: undefined }
    const wish = { principal, made_for: 'create' } as const
    return addRevision(store, deployment, first, wish, parts.clock)
  })
  await parts.whenTended(deployment.id)
  return deploymentAnswer(parts, principal, stored)
}

/** Throws `not_found` for an unknown deployment, or one of another workspace. */
export async function getDeployment(
  parts: Pick<ControlPlaneParts, 'store' | 'publicUrl' | 'domain'>,
  principal: Principal,
  id: string,
): Promise<DeploymentAnswer> {
  const deployment = await requireDeployment(parts.store, principal, id)
  const latest = await latestOf(parts.store, deployment)
  return deploymentAnswer(parts, principal, { deployment, latest })
}

/** The workspace's deployments, in the order of `DeploymentStore.list`. */
export async function listDeployments(
  parts: Pick<ControlPlaneParts, 'store' | 'publicUrl' | 'domain'>,
  principal: Principal,
  query: DeploymentsQuery,
): Promise<{ resources: DeploymentAnswer[]; offset: number }> {
  const { limit, offset } = query
  const filter = filterOf(query)
  const { workspace_id: tenant_id } = principal
  const found = filter
    ? await parts.store.deployments.list({ tenant_id, limit, offset, ...filter })
    : []
  const resources = await Promise.all(
    found.map(async (deployment) => {
      const latest = await latestOf(parts.store, deployment)
      return deploymentAnswer(parts, principal, { deployment, latest })
    }),
  )
  return { resources, offset: offset + found.length }
}

/** How many of the workspace's deployments are of a free type. */
export async function countFreeDeployments(
  parts: Pick<ControlPlaneParts, 'store'>,
  principal: Principal,
): Promise<{ count: number }> {
  const { workspace_id: tenant_id } = principal
  const filter = { tenant_id, deployment_types: FREE_DEPLOYMENT_TYPES }
  return { count: await parts.store.deployments.count(filter) }
}

/** `undefined`: the query filters by something that no deployment has. */
function filterOf(query: DeploymentsQuery): Omit<DeploymentFilter, 'tenant_id'> | undefined {
  if (query.image_version || query.tag_value_ids) return undefined
  if (query.agent_id || query.agent_environment) return undefined
  const { name = '', name_contains = '', status = [], deployment_type, deployment_ids = [] } = query
  const deployment_types = deployment_type ? [deployment_type] : []
  return { name, name_contains, statuses: status, ids: deployment_ids, deployment_types }
}

/** The source of the deployment's first revision, if it has one from the start. */
function firstRevision(
  { artifacts }: Pick<ControlPlaneParts, 'artifacts'>,
  { source, source_revision_config: sent }: DeploymentCreateRequest,
  deployment: SourceConfig,
): RevisionSource | undefined {
  const { upload } = kindOf(source)
  if (upload) {
    refuseEarlyUpload(upload, sent)
    return undefined
  }
  const config = withRevisionConfig(source, undefined, sent)
  checkRevisionSource(source, config, { deployment, artifacts })
  return { source, source_revision_config: config }
}

const UPLOADS: Readonly<Record<NonNullable<SourceKind['upload']>, string>> = {
  source_tarball_path: 'upload to the URL that its upload-url answers',
  image_uri: 'push to the repository that its push-token answers',
}

function refuseEarlyUpload(
  member: NonNullable<SourceKind['upload']>,
  sent: SourceRevisionConfigRequest,
): void {
  if (!sent[member]) return
  throw new AppError(
    'bad_request',
    `source_revision_config.${member} is not known yet: create the deployment without it, ` +
      `${UPLOADS[member]}, then PATCH.`,
  )
}

function nameIsTaken(name: string): AppError {
  return new AppError('conflict', `The deployment name ${name} is taken; choose another one.`)
}

function newDeployment(
  parts: Pick<ControlPlaneParts, 'clock'>,
  principal: Principal,
  request: DeploymentCreateRequest,
): Deployment {
  const now = timestamp(parts.clock)
  return {
    id: randomUUID(),
    tenant_id: principal.workspace_id,
    name: request.name,
    display_name: null,
    source: request.source,
    source_config: {},
    secrets: request.secrets,
    status: 'AWAITING_DATABASE',
    created_at: now,
    updated_at: now,
    latest_revision_id: null,
    active_revision_id: null,
    push_nonce: null,
    agent_key_nonce: null,
    asleep_since: null,
    wake_at: null,
    has_own_auth: null,
    is_public: request.is_public ?? false,
  }
}

/**
 * Marks the deployment for deletion; the reconciler removes it. Doing it twice is no error. Throws
 * `not_found`.
 */
export async function deleteDeployment(
  parts: Pick<ControlPlaneParts, 'store' | 'wake' | 'clock'>,
  principal: Principal,
  id: string,
): Promise<void> {
  await parts.store.transaction(async (store) => {
    const { name, status } = await requireDeployment(store, principal, id)
    if (status === 'AWAITING_DELETE') return
    const updated_at = timestamp(parts.clock)
    await store.deployments.update(id, { status: 'AWAITING_DELETE', updated_at })
    const deed = { action: 'deployment.delete', target_id: id, target_name: name } as const
    await record(store, parts.clock, principal, deed)
  })
  parts.wake()
}

/**
 * Deletes each deployment by itself, and returns which it could not delete. Throws `not_found` when none of
 * them exists.
 */
export async function deleteDeployments(
  parts: Pick<ControlPlaneParts, 'store' | 'wake' | 'clock'>,
  principal: Principal,
  ids: readonly string[],
): Promise<BulkDeletion> {
  const result: BulkDeletion = { deleted: [], failed: [] }
  for (const id of new Set(ids)) {
    const refusal = await deleteDeployment(parts, principal, id).catch(asRefusal)
    if (refusal) result.failed.push({ id, detail: refusal.message })
    else result.deleted.push(id)
  }
  if (result.deleted.length > 0) return result
  throw new AppError('not_found', result.failed.map(({ detail }) => detail).join(' '))
}

/** Rethrows an error that is not a refusal: then the whole request fails. */
function asRefusal(error: unknown): AppError {
  if (error instanceof AppError) return error
  throw error
}
