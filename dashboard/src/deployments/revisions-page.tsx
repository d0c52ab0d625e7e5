import { type Deployment, dataOf } from '@runyard/client'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { controlPlane } from '../api/control-plane.ts'
import { deploymentQuery } from '../api/deployments.ts'
import { useMay } from '../api/session.ts'
import { Button, ButtonLink } from '../design/button.tsx'
import { Empty } from '../design/empty.tsx'
import { GitCommitHorizontal, Upload } from '../design/icon.gen.tsx'
import { Page } from '../design/page.tsx'
import { QueryView } from '../design/query-view.tsx'
import { useAction } from './actions.ts'
import { useDeploymentId } from './address.ts'
import { useRevision } from './deployment-state.tsx'
import { REVISIONS_A_PAGE, revisionsQuery } from './queries.ts'
import { Timeline } from './revisions/timeline.tsx'

/** All revisions of a deployment, newest first. */
export function RevisionsPage() {
  const id = useDeploymentId()
  const query = useQuery(deploymentQuery(id))
  const mayWrite = useMay('write')
  return (
    <Page
      title="Revisions"
      actions={mayWrite && query.data && <DeployNextLink deployment={query.data} />}
    >
      <QueryView query={query} what="the deployment">
        {(deployment) => <Revisions deployment={deployment} mayWrite={mayWrite} />}
      </QueryView>
    </Page>
  )
}

function Revisions({ deployment, mayWrite }: { deployment: Deployment; mayWrite: boolean }) {
  const [count, setCount] = useState(REVISIONS_A_PAGE)
  const query = useQuery(revisionsQuery(deployment.id, count))
  const serving = useRevision(deployment.id, deployment.active_revision_id)
  return (
    <QueryView query={query} what="the revisions">
      {(revisions) =>
        revisions.length === 0 ? (
          <NoRevisions deployment={deployment} mayWrite={mayWrite} />
        ) : (
          <>
            <Timeline deployment={deployment} revisions={revisions} serving={serving} />
            {revisions.length === count && (
              <Button
                isPending={query.isPlaceholderData}
                onPress={() => setCount(Math.min(count + REVISIONS_A_PAGE, 100))}
                isDisabled={count >= 100}
              >
                Show older revisions
              </Button>
            )}
          </>
        )
      }
    </QueryView>
  )
}

function NoRevisions({ deployment, mayWrite }: { deployment: Deployment; mayWrite: boolean }) {
  return (
    <Empty
      title="It has no revision yet."
      action={
        mayWrite && (
          <ButtonLink to={`/deployments/new?name=${deployment.name}`}>Send its source</ButtonLink>
        )
      }
    >
      A revision comes with the first source that is uploaded.
    </Empty>
  )
}

/** Starts the next revision: from the head of the branch, or by sending a folder. */
function DeployNextLink({ deployment }: { deployment: Deployment }) {
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
