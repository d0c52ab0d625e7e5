/** How the gateway is to let requests in to a deployment, by its record. */
import type { ControlPlaneStore } from '../../core/deployment/control-plane-store.ts'
import type { Deployment } from '../../core/deployment/deployment.ts'
import type { Entrance } from '../../core/deployment/target.ts'

export async function entranceWanted(
  { domains }: Pick<ControlPlaneStore, 'domains'>,
  { id, is_public }: Deployment,
): Promise<Entrance> {
  return { isPublic: is_public, hosts: await domains.listHosts(id) }
}
