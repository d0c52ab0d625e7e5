import { useQuery } from '@tanstack/react-query'
import { workspaceOfDeploymentQuery } from '../api/deployments.ts'
import { useSession } from '../api/session.ts'
import { chooseWorkspace, chosenWorkspace } from '../api/workspace.ts'
import { Button, ButtonLink } from '../design/button.tsx'
import { Empty } from '../design/empty.tsx'
import { Page } from '../design/page.tsx'
import { QueryView } from '../design/query-view.tsx'

/** Shown for a deployment that this workspace does not have: links to it if another of the user's workspaces does. */
export function ElsewherePage({ id }: { id: string }) {
  const session = useSession()
  const here = chosenWorkspace() ?? session?.workspace_id
  const others = session?.workspaces.filter((one) => one.id !== here)
  const query = useQuery(workspaceOfDeploymentQuery(id, others))
  const name = session?.workspaces.find((one) => one.id === here)?.name ?? 'this workspace'
  return (
    <Page title="Not in this workspace">
      <QueryView query={query} what="your other workspaces">
        {(workspace) =>
          workspace ? (
            <Empty
              title={`It is in the workspace ${workspace.name}.`}
              action={
                <Button
                  kind="primary"
                  onPress={() => chooseWorkspace(workspace.id, { isHere: true })}
                >
                  Go there
                </Button>
              }
            >
              {`You look at ${name}, which does not have the deployment of this address.`}
            </Empty>
          ) : (
            <Empty
              title={`${name} has no deployment with this address.`}
              action={<ButtonLink to="/deployments">To the deployments</ButtonLink>}
            >
              It may have been deleted, be in a workspace that you may not enter, or the address was
              cut when it was copied.
            </Empty>
          )
        }
      </QueryView>
    </Page>
  )
}
