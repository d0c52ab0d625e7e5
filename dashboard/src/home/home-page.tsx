/** After the first start, the live example and how to deploy one's own agent; later, what needs attention. */
import type { Deployment } from '@runyard/client'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense } from 'react'
import { pagesOf } from '../api/deployment-pages.ts'
import { deploymentsQuery } from '../api/deployments.ts'
import { useMay } from '../api/session.ts'
import { DeploymentState } from '../deployments/deployment-state.tsx'
import { ButtonLink } from '../design/button.tsx'
import { Empty } from '../design/empty.tsx'
import { Plus } from '../design/icon.gen.tsx'
import { Page, Section, TextLink } from '../design/page.tsx'
import { QueryView } from '../design/query-view.tsx'
import { Skeleton, useShown } from '../design/skeleton.tsx'
import { type Column, Table } from '../design/table.tsx'
import { Time } from '../design/text/time.tsx'
import { ExampleSection } from './example-section.tsx'
import { NeedsSection } from './needs-section.tsx'
import { EXAMPLE, needsQuery } from './queries.ts'

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
  const needs = useQuery(needsQuery(deployments))
  if (!useShown(needs.isLoading)) return <Skeleton lines={8} />
  return (
    <>
      <NeedsSection needs={needs.data ?? []} />
      <DeploymentsSection deployments={deployments} />
      {example?.active_revision_id && <ExampleSection deployment={example} />}
    </>
  )
}

/** Most deployments shown; the others are on their own page. */
const SHOWN = 8

/** The deployments that changed most recently. */
function DeploymentsSection({ deployments }: { deployments: readonly Deployment[] }) {
  const rows = deployments.toSorted((a, b) => b.updated_at.localeCompare(a.updated_at))
  const all = deployments.length > SHOWN ? `All ${deployments.length}` : 'All deployments'
  return (
    <Section title="Deployments" actions={<TextLink to="/deployments">{all}</TextLink>}>
      <Table
        label="Deployments"
        columns={COLUMNS}
        rows={rows.slice(0, SHOWN)}
        keyOf={({ id }) => id}
        linkOf={({ id }) => pagesOf(id).overview}
      />
    </Section>
  )
}

const COLUMNS: readonly Column<Deployment>[] = [
  {
    id: 'name',
    header: 'Name',
    isRowHeader: true,
    isWide: true,
    cell: ({ name, display_name }) => <span className="font-medium">{display_name ?? name}</span>,
  },
  { id: 'state', header: 'State', cell: (one) => <DeploymentState deployment={one} /> },
  {
    id: 'changed',
    header: 'Changed',
    from: 'sm',
    cell: ({ updated_at }) => <Time at={updated_at} />,
  },
]
