import type { Deployment } from '@runyard/client'
import { useQuery } from '@tanstack/react-query'
import { Outlet } from '@tanstack/react-router'
import { AgentServerProvider } from '../api/agent-server.tsx'
import { pagesOf } from '../api/deployment-pages.ts'
import { deploymentQuery } from '../api/deployments.ts'
import { statusOf } from '../api/query-client.ts'
import { NavTabs } from '../design/page.tsx'
import { QueryView } from '../design/query-view.tsx'
import { Badge } from '../design/status.tsx'
import { useDeploymentId } from './address.ts'
import { DeploymentState } from './deployment-state.tsx'
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

/** Above every page of a deployment: its name, its state, and links to its other pages. */
function DeploymentBar({ deployment }: { deployment: Deployment }) {
  const pages = pagesOf(deployment.id)
  return (
    <div className="border-b border-line bg-surface px-4 pt-3 sm:px-6 [&_nav]:mb-0 [&_nav]:border-0">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <p className="min-w-0 font-semibold wrap-anywhere">
          {deployment.display_name ?? deployment.name}
        </p>
        <DeploymentState deployment={deployment} />
        {deployment.is_public && <Badge tone="wait">Public</Badge>}
      </div>
      <NavTabs
        tabs={[
          { to: pages.overview, label: 'Overview', isExact: true },
          { to: pages.revisions, label: 'Revisions' },
          { to: pages.logs, label: 'Logs' },
          { to: pages.studio, label: 'Studio' },
          { to: pages.threads, label: 'Threads' },
          { to: pages.runs, label: 'Runs' },
          { to: pages.settings, label: 'Settings' },
        ]}
      />
    </div>
  )
}
