/** How a gateway should let requests in to a deployment, by its record. */
import type { ControlPlaneStore } from '../../core/deployment/control-plane-store.ts'
import type { Deployment } from '../../core/deployment/deployment.ts'
import { sourceConfigOf } from '../../core/deployment/sources/config.ts'
import type { Entrance } from '../../core/deployment/target.ts'

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
