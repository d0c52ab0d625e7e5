/** Removes a deployment completely. Every step may be repeated: after a crash, the next look does so. */
import { allRevisions, type Deployment } from '../../core/deployment/deployment.ts'
import { DEPLOYMENT_USER } from '../../core/oauth/token.ts'
import { releaseDomain } from '../domains/proof.ts'
import { removeGrants } from '../oauth/tokens/holders.ts'
import type { Builds } from './builds.ts'
import type { ReconcilerLimits, ReconcilerParts } from './rollout-parts.ts'

interface RemovalOptions extends ReconcilerParts {
  builds: Builds
  limits: Pick<ReconcilerLimits, 'stopGraceMs'>
  /** Ends the wait for OAuth providers. */
  stopping: AbortSignal
}

/** How long OAuth providers may delay it, in ms. */
const REVOKE_MS = 300_000

/** The rows go last: while they exist, the deployment is AWAITING_DELETE and found again. */
export async function removeDeployment(deployment: Deployment, options: RemovalOptions) {
  options.targets.remove(deployment.name)
  await options.builds.abort(deployment.id)
  await endAll(deployment.id, options)
  await removeTokens(deployment, options)
  for (const { id } of await allRevisions(options.store, deployment.id)) {
    await options.builder.remove(id)
    await options.logs.remove(id)
  }
  await options.builder.removeKept(deployment.id)
  await options.removeData(deployment.id)
  await removeRows(deployment, options)
  options.log.info({ deployment: deployment.name }, 'deployment removed')
}

/** Reserves its hosts for its workspace: users may call them for a while yet. */
function removeRows({ id, tenant_id }: Deployment, { store, clock }: RemovalOptions) {
  return store.transaction(async (tx) => {
    for (const host of await tx.domains.listHosts(id))
      await releaseDomain({ store: tx, clock }, host, tenant_id)
    await tx.deployments.delete(id)
  })
}

/** Stops all agent servers without a drain, also those that drain already. */
async function endAll(deployment_id: string, { driver, limits: { stopGraceMs } }: RemovalOptions) {
  await Promise.all(driver.revisionsOf(deployment_id).map((id) => driver.stop(id, stopGraceMs)))
}

/** After its agents have ended, which could ask for more. The owners can no longer use or see these tokens. */
async function removeTokens({ id, tenant_id }: Deployment, options: RemovalOptions): Promise<void> {
  const holder = { workspace_id: tenant_id, user_id: DEPLOYMENT_USER + id }
  const how = { source: 'cleanup', limitMs: REVOKE_MS, signal: options.stopping } as const
  await removeGrants(options, holder, { ...how, reason: 'The deployment was deleted.' })
}
