import type { Deployment } from '@runyard/client'
import { useQuery } from '@tanstack/react-query'
import { z } from 'zod'
import { pagesOf } from '../api/deployment-pages.ts'
import { deploymentsQuery } from '../api/deployments.ts'
import { useMay } from '../api/session.ts'
import { ButtonLink } from '../design/button.tsx'
import { Empty } from '../design/empty.tsx'
import { SearchField } from '../design/field.tsx'
import { Plus } from '../design/icon.gen.tsx'
import { Page } from '../design/page.tsx'
import { QueryView } from '../design/query-view.tsx'
import { type Column, Table } from '../design/table.tsx'
import { CodeBlock } from '../design/text/code-block.tsx'
import { bytesText, countText } from '../design/text/format.ts'
import { Time } from '../design/text/time.tsx'
import { addressText, useAddress } from '../shell/address.ts'
import { DeploymentState } from './deployment-state.tsx'
import { figuresQuery } from './queries.ts'
import { sourceTextOf } from './revisions/source-text.ts'

const Search = z.object({ q: addressText })

/** All deployments of the workspace. */
export function DeploymentsPage() {
  const query = useQuery(deploymentsQuery())
  const [{ q = '' }, change] = useAddress(Search)
  const mayWrite = useMay('write')
  const columns = columnsOf(useFigures())
  return (
    <Page title="Deployments" actions={mayWrite && <NewLink />}>
      <QueryView query={query} what="the deployments">
        {(all) =>
          all.length === 0 ? (
            <NoDeployments mayWrite={mayWrite} />
          ) : (
            <>
              <div className="mb-3 max-w-sm">
                <SearchField
                  label="Search the deployments"
                  value={q}
                  onChange={(text) => change({ q: text }, { replace: true })}
                />
              </div>
              <Table
                label="Deployments"
                columns={columns}
                rows={all.filter((one) => matches(one, q))}
                keyOf={({ id }) => id}
                linkOf={({ id }) => pagesOf(id).overview}
                empty={<Empty title={`No deployment is called “${q}”.`} />}
              />
              <p className="mt-2 text-xs text-ink-faint max-md:hidden">
                Requests, errors (5xx) and runs are of the last hour; memory is of now.
              </p>
            </>
          )
        }
      </QueryView>
    </Page>
  )
}

type Figures = NonNullable<ReturnType<typeof useFigures>>

function useFigures() {
  return useQuery(figuresQuery()).data
}

function columnsOf(figures: Figures | undefined): readonly Column<Deployment>[] {
  const total = (one: Deployment) => figures?.get(one.id)?.total
  return [
    {
      id: 'name',
      header: 'Name',
      isRowHeader: true,
      cell: (one) => (
        <span className="block min-w-24 wrap-anywhere sm:min-w-64">
          <span className="font-medium">{one.display_name ?? one.name}</span>
          {one.display_name && one.display_name !== one.name && (
            <code className="block text-ink-faint">{one.name}</code>
          )}
        </span>
      ),
    },
    { id: 'state', header: 'State', cell: (one) => <DeploymentState deployment={one} /> },
    {
      id: 'source',
      header: 'Source',
      from: 'lg',
      cell: (one) => {
        const { what } = sourceTextOf(one, one)
        return (
          <span className="block max-w-64 truncate text-ink-soft" title={what}>
            {what}
          </span>
        )
      },
    },
    figureColumn('requests', 'Requests', (one) => total(one)?.requests),
    figureColumn('errors', 'Errors', (one) => total(one)?.errors),
    figureColumn('runs', 'Runs', (one) => runCount(total(one)?.runs)),
    {
      id: 'memory',
      header: 'Memory',
      align: 'right',
      from: 'md',
      cell: (one) => {
        const bytes = figures?.get(one.id)?.now?.memory_bytes
        return bytes ? <span className="whitespace-nowrap">{bytesText(bytes)}</span> : <Nothing />
      },
    },
    {
      id: 'changed',
      header: 'Changed',
      align: 'right',
      cell: ({ updated_at }) => <Time at={updated_at} />,
    },
  ]
}

/** A count of the last hour. */
function figureColumn(
  id: string,
  header: string,
  count: (one: Deployment) => number | undefined,
): Column<Deployment> {
  const cell = (one: Deployment) => {
    const number = count(one)
    if (!number) return <Nothing />
    return <span className={id === 'errors' ? 'text-bad' : ''}>{countText(number)}</span>
  }
  return { id, header, align: 'right', from: 'md', cell }
}

function Nothing() {
  return (
    <span className="text-ink-faint">
      <span aria-hidden="true">–</span>
      <span className="sr-only">none</span>
    </span>
  )
}

function runCount(runs: Record<string, number> | undefined): number | undefined {
  return runs && Object.values(runs).reduce((sum, count) => sum + count, 0)
}

function NewLink() {
  return (
    <ButtonLink to="/deployments/new" kind="primary" icon={<Plus size={16} />}>
      New deployment
    </ButtonLink>
  )
}

function NoDeployments({ mayWrite }: { mayWrite: boolean }) {
  return (
    <Empty title="Nothing is deployed yet." action={mayWrite && <NewLink />}>
      <p className="mb-3">
        A deployment is an agent with an address of its own. Drop a folder, name a git repository,
        or deploy from a terminal:
      </p>
      <div className="text-left">
        <CodeBlock label="The command" text="runyard deploy --name my-agent" />
      </div>
    </Empty>
  )
}

function matches({ name, display_name }: Deployment, text: string): boolean {
  return `${name} ${display_name ?? ''}`.toLowerCase().includes(text.toLowerCase())
}
