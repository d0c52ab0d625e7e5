/** Replaces the key with which a deployment's agents ask for OAuth tokens. */
import { randomUUID } from 'node:crypto'
import { type Clock, timestamp } from '../../core/clock.ts'
import type { ControlPlaneStore } from '../../core/deployment/control-plane-store.ts'
import type { Deployment } from '../../core/deployment/deployment.ts'
import type { Principal } from '../../core/people/api-key.ts'
import type { ControlPlaneParts } from '../parts.ts'
import { record } from '../people/audit.ts'
import { repeatRevision } from '../revisions/revisions.ts'
import { refuseDeleted, requireDeployment, requireRevision } from './access.ts'

/**
 * From now on the present key is refused. Agents get the new key with their next revision: the active revision
 * is deployed again, unless a newer one exists. Returns that revision; `null`: there is none to deploy.
 * Throws `not_found`, `conflict`.
 */
export async function rotateAgentKey(
  parts: Pick<ControlPlaneParts, 'store' | 'wake' | 'clock'>,
  principal: Principal,
  deployment_id: string,
): Promise<{ revision_id: string | null }> {
  const revision_id = await parts.store.transaction(async (store) => {
    const deployment = await requireDeployment(store, principal, deployment_id)
    refuseDeleted(deployment)
    const patch = { agent_key_nonce: randomUUID(), updated_at: timestamp(parts.clock) }
    await store.deployments.update(deployment_id, patch)
    const made = await repeatActive(store, { ...deployment, ...patch }, principal, parts.clock)
    const deed = { action: 'agent_key.rotate', target_id: deployment_id } as const
    const detail = { revision_id: made }
    await record(store, parts.clock, principal, { ...deed, target_name: deployment.name, detail })
    return made
  })
  parts.wake()
  return { revision_id }
}

/** Does nothing when a newer revision is on its way or has failed: this request must not overtake it. */
async function repeatActive(
  store: ControlPlaneStore,
  deployment: Deployment,
  principal: Principal,
  clock: Clock,
): Promise<string | null> {
  const { id, active_revision_id: active, latest_revision_id: latest } = deployment
  if (active === null || active !== latest) return null
  const revision = await requireRevision(store, id, active)
  const wish = { principal, made_for: 'agent_key' } as const
  return (await repeatRevision(store, deployment, revision, wish, clock)).latest.id
}
