import type { Deployment, DeploymentPatchRequest } from '@runyard/client'
import { controlPlane } from '../../api/control-plane.ts'
import { useAction } from '../actions.ts'

/** Changes the deployment, and shows whether that created a revision. `said`: what was changed. */
export function usePatch(deployment: Deployment, said: string) {
  return useAction({
    deployment_id: deployment.id,
    act: (body: DeploymentPatchRequest) => controlPlane.patchDeployment(deployment.id, body),
    said: (_, { latest_revision_id }) =>
      latest_revision_id === deployment.latest_revision_id
        ? said
        : `${said} A new revision rolls out with it.`,
  })
}
