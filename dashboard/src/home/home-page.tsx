/** After the first start, the live example and how to deploy one's own agent; later, what needs attention. */
import type { Deployment } from '@runyard/client'
import { useQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { lazy, Suspense } from 'react'
import { deploymentsQuery } from '../api/deployments.ts'
import { useMay } from '../api/session.ts'
import { ButtonLink } from '../design/button.tsx'
import { Empty } from '../design/empty.tsx'
import { Page } from '../design/page.tsx'
import { QueryView } from '../design/query-view.tsx'
import { Skeleton } from '../design/skeleton.tsx'
import { DeploymentsSection } from './deployments-section.tsx'
import { ExampleSection } from './example-section.tsx'
import { NeedsSection } from './needs-section.tsx'
import { EXAMPLE } from './queries.ts'

/** Loaded separately: it packs and checks whole folders, with more code than the rest of the page. */
const DeployYourOwn = lazy(async () => ({
  default: (await import('./deploy-your-own.tsx')).DeployYourOwn,
}))

export function HomePage() {
  const query = useQuery(deploymentsQuery())
  const mayDeploy = useMay('write')
  const isFirst = query.data?.every(({ name }) => name === EXAMPLE) ?? false
  return (
    <Page
      title={isFirst ? 'Welcome to Runyard' : 'Home'}
      actions={
        mayDeploy &&
        query.data !== undefined &&
        !isFirst && (
          <ButtonLink to="/deployments/new" kind="primary" icon={<Plus size={14} />}>
            New deployment
          </ButtonLink>
        )
      }
    >
      <QueryView query={query} what="the deployments" skeleton={<Skeleton lines={8} />}>
        {(deployments) =>
          isFirst ? (
            <FirstStart deployments={deployments} mayDeploy={mayDeploy} />
          ) : (
            <Later deployments={deployments} />
          )
        }
      </QueryView>
    </Page>
  )
}

function FirstStart(props: { deployments: readonly Deployment[]; mayDeploy: boolean }) {
  const [example] = props.deployments
  return (
    <>
      {example && <ExampleSection deployment={example} />}
      {props.mayDeploy ? (
        <Suspense fallback={<Skeleton lines={6} />}>
          <DeployYourOwn deployments={props.deployments} />
        </Suspense>
      ) : (
        !example && (
          <Empty title="Nothing is deployed here yet.">
            An admin or a developer of this workspace can deploy.
          </Empty>
        )
      )}
    </>
  )
}

function Later({ deployments }: { deployments: readonly Deployment[] }) {
  const example = deployments.find(({ name }) => name === EXAMPLE)
  return (
    <>
      <NeedsSection deployments={deployments} />
      <DeploymentsSection deployments={deployments} />
      {example?.active_revision_id && <ExampleSection deployment={example} />}
    </>
  )
}
