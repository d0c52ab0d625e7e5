/** The deployments side by side; failing, waiting or growing ones stand out. */
import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import { pagesOf } from '../api/deployment-pages.ts'
import { Empty } from '../design/empty.tsx'
import { type ListColumn, RowList, sortRows } from '../design/row-list.tsx'
import { Status } from '../design/status.tsx'
import { bytesText, countText, durationText } from '../design/text/format.ts'
import { endedRuns, failedRuns } from './figures.ts'
import type { Glance } from './queries.ts'

interface Figure {
  id: string
  header: string
  valueOf: (one: Glance) => number
  text: (value: number) => string
  isBadAbove?: number
  from?: NonNullable<ListColumn<Glance>['from']>
}

const seconds = (value: number) => (value === 0 ? '–' : durationText(value * 1_000))
const count = (value: number) => (value === 0 ? '–' : countText(value))

const FIGURES: readonly Figure[] = [
  { id: 'requests', header: 'Requests', valueOf: ({ total }) => total?.requests ?? 0, text: count },
  {
    ...{ id: 'errors', header: 'Errors', isBadAbove: 0, text: count },
    valueOf: ({ total }) => total?.errors ?? 0,
  },
  {
    ...{ id: 'runs', header: 'Runs', text: count },
    valueOf: ({ total }) => (total ? endedRuns(total) : 0),
  },
  {
    ...{ id: 'failed', header: 'Failed', isBadAbove: 0, text: count },
    valueOf: ({ total }) => (total ? failedRuns(total) : 0),
  },
  {
    ...{ id: 'duration', header: 'Run p95', text: seconds, from: 'md' },
    valueOf: ({ total }) => total?.duration_seconds?.p95 ?? 0,
  },
  {
    ...{ id: 'first', header: 'First output p95', text: seconds, from: 'lg' },
    valueOf: ({ total }) => total?.first_output_seconds?.p95 ?? 0,
  },
  {
    ...{ id: 'wait', header: 'Wait p95', text: seconds, from: 'lg' },
    valueOf: ({ total }) => total?.wait_seconds?.p95 ?? 0,
  },
  {
    ...{ id: 'queue', header: 'Waiting now', text: count, from: 'md' },
    valueOf: ({ now }) => now?.waiting ?? 0,
  },
  {
    ...{ id: 'memory', header: 'Memory now', from: 'md' },
    text: (value) => (value === 0 ? '–' : bytesText(value)),
    valueOf: ({ now }) => now?.memory_bytes ?? 0,
  },
]

const COLUMNS: readonly ListColumn<Glance>[] = [
  {
    id: 'name',
    header: 'Deployment',
    isRowHeader: true,
    width: 'minmax(9rem,1fr)',
    sortBy: ({ name }) => name,
    cell: ({ deployment_id, name }) => (
      <Link
        to={pagesOf(deployment_id).overview}
        className="font-medium hover:text-accent hover:underline"
        onClick={(event) => event.stopPropagation()}
      >
        {name}
      </Link>
    ),
  },
  {
    id: 'state',
    header: 'Now',
    width: '8rem',
    sortBy: ({ now }) => now?.servers ?? 0,
    cell: ({ now }) => (
      <Status tone={now ? 'good' : 'off'}>
        {now ? `${now.servers} ${now.servers === 1 ? 'server' : 'servers'}` : 'Not running'}
      </Status>
    ),
  },
  ...FIGURES.map(
    (figure): ListColumn<Glance> => ({
      ...{ id: figure.id, header: figure.header, sortBy: figure.valueOf },
      ...{ width: 'minmax(4.5rem,1fr)', align: 'right' },
      ...(figure.from && { from: figure.from }),
      cell: (one) => {
        const value = figure.valueOf(one)
        const isBad = figure.isBadAbove !== undefined && value > figure.isBadAbove
        return <span className={isBad ? 'font-medium text-bad' : ''}>{figure.text(value)}</span>
      },
    }),
  ),
]

/** Running ones first. `sort`: see `sortRows`. */
export function DeploymentsTable(props: {
  deployments: readonly Glance[]
  sort: string | undefined
  onSort: (sort: string) => void
}) {
  const { deployments, sort = '-failed' } = props
  const rows = useMemo(() => {
    const rank = ({ now }: Glance) => (now ? 0 : 1)
    const usual = deployments.toSorted((a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name))
    return sortRows(usual, COLUMNS, sort)
  }, [deployments, sort])
  if (rows.length === 0)
    return <Empty title="No deployments yet">Their requests and runs appear here.</Empty>
  return (
    <RowList
      label="Deployments"
      columns={COLUMNS}
      count={rows.length}
      rowAt={(index) => rows[index]}
      keyOf={({ deployment_id }) => deployment_id}
      linkOf={({ deployment_id }) => `/operations?deployment=${deployment_id}`}
      sort={sort}
      onSort={props.onSort}
    />
  )
}
