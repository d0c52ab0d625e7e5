import type { Deployment } from '@runyard/client'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { deploymentQuery } from '../api/deployments.ts'
import { useMay } from '../api/session.ts'
import { Button, ButtonLink } from '../design/button.tsx'
import { Empty } from '../design/empty.tsx'
import { Page } from '../design/page.tsx'
import { QueryView } from '../design/query-view.tsx'
import { useDeploymentId } from './address.ts'
import { useRevision } from './deployment-state.tsx'
import { REVISIONS_A_PAGE, revisionsQuery } from './queries.ts'
import { DeployNextLink } from './revisions/deploy-next.tsx'
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
