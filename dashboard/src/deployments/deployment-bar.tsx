import type { Deployment } from '@runyard/client'
import { NavTabs } from '../design/page.tsx'
import { Badge } from '../design/status.tsx'
import { pagesOf } from './address.ts'
import { DeploymentState } from './deployment-state.tsx'

/** Above every page of a deployment: its name, its state, and links to its other pages. */
export function DeploymentBar({ deployment }: { deployment: Deployment }) {
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
