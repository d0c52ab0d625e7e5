import type { Deployment, WorkspaceFigures } from '@runyard/client'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { z } from 'zod'
import { pagesOf } from '../api/deployment-pages.ts'
import {
  type DeploymentAtAGlance,
  deploymentStatesQuery,
  deploymentsQuery,
} from '../api/deployments.ts'
import { useMay } from '../api/session.ts'
import { ButtonLink } from '../design/button.tsx'
import { Empty } from '../design/empty.tsx'
import { Plus } from '../design/icon.gen.tsx'
import { Page } from '../design/page.tsx'
import { QueryView } from '../design/query-view.tsx'
import { type ListColumn, RowList, sortRows } from '../design/row-list.tsx'
import { CodeBlock } from '../design/text/code-block.tsx'
import { bytesText, countText } from '../design/text/format.ts'
import { Time } from '../design/text/time.tsx'
import { addressText, useAddress } from '../shell/address.ts'
import { ChoiceFilter, Filters, SearchFilter } from '../shell/filters.tsx'
import { DeploymentState, isFailed } from './deployment-state.tsx'
import { figuresQuery } from './queries.ts'
import { sourceTextOf } from './revisions/source-text.ts'

const STATES = {
  serving: 'Serving',
  asleep: 'Asleep',
  starting: 'Starting',
  restarting: 'Restarting',
  failed: 'Failed',
  stopped: 'Not serving',
  revision: 'Latest revision failed',
} as const
type StateFilter = keyof typeof STATES

const Search = z.object({
  q: addressText,
  state: z
    .enum(Object.keys(STATES) as [StateFilter, ...StateFilter[]])
    .optional()
    .catch(undefined),
  /** See `sortRows`. */
  sort: z.string().default('-changed').catch('-changed'),
})

/** All deployments of the workspace. */
export function DeploymentsPage() {
  const query = useQuery(deploymentsQuery())
  const mayWrite = useMay('write')
  return (
    <Page title="Deployments" actions={mayWrite && <NewLink />}>
      <QueryView query={query} what="the deployments">
        {(all) =>
          all.length === 0 ? <NoDeployments mayWrite={mayWrite} /> : <Deployments all={all} />
        }
      </QueryView>
    </Page>
  )
}

function Deployments({ all }: { all: readonly Deployment[] }) {
  const [{ q = '', state, sort }, change] = useAddress(Search, { resetScroll: false })
  const figures = useQuery(figuresQuery()).data
  const states = useQuery(deploymentStatesQuery()).data
  const columns = useMemo(() => columnsOf(figures, states), [figures, states])
  const rows = useMemo(() => {
    const found = all.filter((one) => matches(one, q) && isIn(states?.get(one.id), state))
    const byName = found.toSorted((a, b) => nameOf(a).localeCompare(nameOf(b)))
    return sortRows(byName, columns, sort)
  }, [all, columns, states, q, state, sort])
  return (
    <>
      <Filters>
        <SearchFilter
          label="Search the deployments"
          value={q}
          onChange={(text) => change({ q: text }, { replace: true })}
        />
        <ChoiceFilter
          label="State"
          any="Any state"
          value={state}
          onChange={(value) => change({ state: value })}
          choices={Object.entries(STATES).map(([value, label]) => ({
            value: value as StateFilter,
            label,
          }))}
        />
      </Filters>
      {rows.length === 0 ? (
        <Empty
          title={`No deployment ${[q && `is called “${q}”`, state && 'is in this state'].filter(Boolean).join(' and ')}.`}
        />
      ) : (
        <RowList
          label="Deployments"
          columns={columns}
          count={rows.length}
          rowAt={(index) => rows[index]}
          keyOf={({ id }) => id}
          linkOf={({ id }) => pagesOf(id).overview}
          sort={sort}
          onSort={(by) => change({ sort: by }, { replace: true })}
        />
      )}
      <p className="mt-2 text-xs text-ink-faint max-md:hidden">
        {`${countText(rows.length)} of ${countText(all.length)}. `}
        Requests, errors (5xx) and runs are of the last hour; memory is of now.
      </p>
    </>
  )
}

type Figures = Map<string, WorkspaceFigures['deployments'][number]>

type States = Map<string, DeploymentAtAGlance>

function columnsOf(
  figures: Figures | undefined,
  states: States | undefined,
): readonly ListColumn<Deployment>[] {
  const total = (one: Deployment) => figures?.get(one.id)?.total
  const memoryOf = (one: Deployment) => figures?.get(one.id)?.now?.memory_bytes
  return [
    {
      id: 'name',
      header: 'Name',
      isRowHeader: true,
      width: 'minmax(9rem,1.5fr)',
      sortBy: nameOf,
      cell: (one) => (
        <>
          <span className="font-medium">{nameOf(one)}</span>
          {nameOf(one) !== one.name && <code className="ml-2 text-ink-faint">{one.name}</code>}
        </>
      ),
    },
    {
      id: 'state',
      header: 'State',
      isStatus: true,
      width: 'minmax(10.5rem,1.5fr)',
      sortBy: ({ id }) => Object.keys(STATES).indexOf(states?.get(id)?.state ?? ''),
      cell: (one) => <DeploymentState deployment={one} />,
    },
    {
      id: 'source',
      header: 'Source',
      width: 'minmax(8rem,1.5fr)',
      from: 'lg',
      sortBy: (one) => sourceTextOf(one, one).what,
      cell: (one) => {
        const { what } = sourceTextOf(one, one)
        return (
          <span className="text-ink-soft" title={what}>
            {what}
          </span>
        )
      },
    },
    figureColumn('requests', 'Requests', countText, (one) => total(one)?.requests),
    figureColumn('errors', 'Errors', countText, (one) => total(one)?.errors),
    figureColumn('runs', 'Runs', countText, (one) => runCount(total(one)?.runs)),
    figureColumn('memory', 'Memory', bytesText, memoryOf),
    {
      id: 'changed',
      header: 'Changed',
      width: '7rem',
      isTime: true,
      align: 'right',
      sortBy: ({ updated_at }) => updated_at,
      cell: ({ updated_at }) => <Time at={updated_at} />,
    },
  ]
}

function figureColumn(
  id: string,
  header: string,
  text: (value: number) => string,
  figureOf: (one: Deployment) => number | undefined,
): ListColumn<Deployment> {
  const cell = (one: Deployment) => {
    const value = figureOf(one)
    if (!value) return <Nothing />
    return <span className={id === 'errors' ? 'text-bad' : ''}>{text(value)}</span>
  }
  const common = { width: '6rem', align: 'right', from: 'md' } as const
  return { id, header, ...common, sortBy: (one) => figureOf(one) ?? 0, cell }
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

function nameOf({ name, display_name }: Deployment): string {
  return display_name ?? name
}

function matches({ name, display_name }: Deployment, text: string): boolean {
  return `${name} ${display_name ?? ''}`.toLowerCase().includes(text.toLowerCase())
}

function isIn(one: DeploymentAtAGlance | undefined, state: StateFilter | undefined): boolean {
  if (state === undefined) return true
  if (state === 'revision') return one?.latest != null && isFailed(one.latest)
  return one?.state === state
}
