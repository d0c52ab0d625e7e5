import { useQuery } from '@tanstack/react-query'
import { Outlet } from '@tanstack/react-router'
import { AgentServerProvider } from '../api/agent-server.tsx'
import { deploymentQuery } from '../api/deployments.ts'
import { statusOf } from '../api/query-client.ts'
import { QueryView } from '../design/query-view.tsx'
import { useDeploymentId } from './address.ts'
import { DeploymentBar } from './deployment-bar.tsx'
import { ElsewherePage } from './elsewhere-page.tsx'

/** Sets the deployment for the pages below, and links them. */
export function DeploymentLayout() {
  const id = useDeploymentId()
  const query = useQuery(deploymentQuery(id))
  if (query.data === undefined && statusOf(query.error) === 404) return <ElsewherePage id={id} />
  return (
    <QueryView query={query} what="the deployment">
      {(deployment) => (
        <AgentServerProvider deployment={{ id: deployment.id, name: deployment.name }}>
          <DeploymentBar deployment={deployment} />
          <Outlet />
        </AgentServerProvider>
      )}
    </QueryView>
  )
}
