import type { Deployment } from '@runyard/client'
import { dataOf } from '@runyard/client'
import { GitCommitHorizontal, Upload } from 'lucide-react'
import { controlPlane } from '../../api/control-plane.ts'
import { Button, ButtonLink } from '../../design/button.tsx'
import { useAction } from '../actions.ts'

/** Starts the next revision: from the head of the branch, or by sending a folder. */
export function DeployNextLink({ deployment }: { deployment: Deployment }) {
  const { id: deployment_id, source, name } = deployment
  const pull = useAction({
    deployment_id,
    act: () =>
      dataOf(
        controlPlane.api.POST('/v2/deployments/{deployment_id}/revisions', {
          params: { path: { deployment_id } },
          body: {},
        }),
      ),
    said: (_, { number }) => `#${number} is made from what the repository has now.`,
  })
  if (source === 'github') {
    return (
      <Button
        kind="primary"
        icon={<GitCommitHorizontal size={16} />}
        isPending={pull.isPending}
        onPress={() => pull.mutate()}
      >
        Deploy what the repository has now
      </Button>
    )
  }
  return (
    <ButtonLink
      kind="primary"
      to={`/deployments/new?name=${encodeURIComponent(name)}`}
      icon={<Upload size={16} />}
    >
      Deploy a new revision
    </ButtonLink>
  )
}
