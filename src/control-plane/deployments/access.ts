/** Finds the deployments and revisions that a caller may reach. */

import type { ControlPlaneStore } from '../../core/deployment/control-plane-store.ts'
import type { Deployment } from '../../core/deployment/deployment.ts'
import type { Revision } from '../../core/deployment/revision.ts'
import { AppError } from '../../core/errors.ts'
import type { Principal } from '../../core/people/api-key.ts'

/** Throws `not_found` for an unknown deployment, or one of another workspace. */
export async function requireDeployment(
  store: ControlPlaneStore,
  principal: Principal,
  id: string,
): Promise<Deployment> {
  const deployment = await store.deployments.get(id)
  if (deployment?.tenant_id === principal.workspace_id) return deployment
  throw new AppError('not_found', `Deployment ID ${id} not found.`)
}

/** Throws `not_found` for a revision that the deployment does not have. */
export async function requireRevision(
  store: ControlPlaneStore,
  deployment_id: string,
  id: string,
): Promise<Revision> {
  const revision = await store.revisions.get(deployment_id, id)
  if (!revision) throw new AppError('not_found', `Revision ID ${id} not found.`)
  return revision
}

/** Throws `conflict` when the deployment is being deleted. */
export function refuseDeleted(deployment: Deployment): void {
  if (deployment.status !== 'AWAITING_DELETE') return
  throw new AppError('conflict', `Deployment ID ${deployment.id} is being deleted.`)
}

/** The newest revision, if any. */
export async function latestOf(
  store: ControlPlaneStore,
  deployment: Deployment,
): Promise<Revision | undefined> {
  if (deployment.latest_revision_id === null) return undefined
  return store.revisions.get(deployment.id, deployment.latest_revision_id)
}
