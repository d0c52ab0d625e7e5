/** Operations on workspaces. */

import { randomUUID } from 'node:crypto'
import { timestamp } from '../../core/clock.ts'
import type { ControlPlaneStore } from '../../core/deployment/control-plane-store.ts'
import { AppError } from '../../core/errors.ts'
import { DEFAULT_WORKSPACE_ID, isOperator, type Principal } from '../../core/people/api-key.ts'
import type { Workspace } from '../../core/people/workspace.ts'
import { answerOf } from '../../http/answer.ts'
import type { ControlPlaneParts } from '../control-plane-parts.ts'
import { removeGrants } from '../oauth/tokens/holders.ts'
import { record } from './audit.ts'
import { WorkspaceSchema } from './workspace-schemas.ts'

type Parts = Pick<ControlPlaneParts, 'store' | 'clock' | 'vault' | 'log'>

/** All of them for operators, otherwise the caller's own. */
export async function listWorkspaces(
  { store }: Parts,
  principal: Principal,
  page: { limit: number; offset: number },
): Promise<{ resources: Workspace[]; offset: number }> {
  const found = isOperator(principal)
    ? await store.workspaces.list(page)
    : [await store.workspaces.get(principal.workspace_id)].slice(page.offset)
  const resources = found.flatMap((one) => (one ? [answerOf(WorkspaceSchema, one)] : []))
  return { resources, offset: page.offset + resources.length }
}

export async function createWorkspace(
  parts: Parts,
  principal: Principal,
  { name }: { name: string },
): Promise<Workspace> {
  const workspace = { id: randomUUID(), name, created_at: timestamp(parts.clock) }
  await parts.store.transaction(async (store) => {
    await store.workspaces.insert(workspace)
    await recordOn(parts, store, principal, 'workspace.create', workspace)
  })
  return workspace
}

/** Throws `not_found`, for another workspace too unless the principal is an operator. */
export async function getWorkspace({ store }: Parts, principal: Principal, id: string) {
  return answerOf(WorkspaceSchema, await requireWorkspace(store, principal, id))
}

/** Throws as `getWorkspace`. */
export async function renameWorkspace(
  parts: Parts,
  principal: Principal,
  id: string,
  { name }: { name: string },
): Promise<Workspace> {
  return parts.store.transaction(async (store) => {
    const workspace = await requireWorkspace(store, principal, id)
    await store.workspaces.rename(id, name)
    await recordOn(parts, store, principal, 'workspace.update', { ...workspace, name })
    return answerOf(WorkspaceSchema, workspace, { name })
  })
}

/**
 * Removes a workspace with its API keys, listeners and OAuth tokens, which are revoked at their providers
 * first. Throws `not_found`, `conflict` for the first workspace, and while it has deployments.
 */
export async function deleteWorkspace(parts: Parts, principal: Principal, id: string) {
  if (id === DEFAULT_WORKSPACE_ID) {
    throw new AppError('conflict', 'The first workspace stays as long as the installation does.')
  }
  await requireEmptyWorkspace(parts.store, principal, id)
  await removeGrants(parts, { workspace_id: id }, { source: 'request' })
  await parts.store.transaction(async (store) => {
    const workspace = await requireEmptyWorkspace(store, principal, id)
    await store.workspaces.delete(id)
    await recordOn(parts, store, principal, 'workspace.delete', workspace)
  })
}

async function requireEmptyWorkspace(store: ControlPlaneStore, principal: Principal, id: string) {
  const workspace = await requireWorkspace(store, principal, id)
  const count = await store.deployments.count({ tenant_id: id })
  if (count === 0) return workspace
  const what = `Workspace ${workspace.name} has ${count} deployment${count === 1 ? '' : 's'}`
  throw new AppError('conflict', `${what}: delete them first, and wait until they are gone.`)
}

/** Throws `not_found` when it does not exist, or when the principal may not know of it. */
export async function requireWorkspace(store: ControlPlaneStore, principal: Principal, id: string) {
  const mayKnow = id === principal.workspace_id || isOperator(principal)
  const workspace = mayKnow ? await store.workspaces.get(id) : undefined
  if (workspace) return workspace
  throw new AppError('not_found', `Workspace ID ${id} not found.`)
}

/** Changes of workspaces go to the operators' log. */
async function recordOn(
  parts: Parts,
  store: ControlPlaneStore,
  principal: Principal,
  action: 'workspace.create' | 'workspace.update' | 'workspace.delete',
  { id, name }: Workspace,
): Promise<void> {
  await record(store, parts.clock, principal, { action, target_id: id, target_name: name })
}
