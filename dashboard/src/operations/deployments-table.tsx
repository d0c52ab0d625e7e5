/** The deployments side by side; failing, waiting or growing ones stand out. */
import { Link } from '@tanstack/react-router'
import { pagesOf } from '../api/deployment-pages.ts'
import { Empty } from '../design/empty.tsx'
import { Status } from '../design/status.tsx'
import { type Column, Table } from '../design/table.tsx'
import { bytesText, countText, durationText } from '../design/text/format.ts'
import { endedRuns, failedRuns } from './charts.tsx'
import type { Glance } from './queries.ts'

interface Figure {
  id: string
  header: string
  valueOf: (one: Glance) => number
  text: (value: number) => string
  isBadAbove?: number
  from?: Column<Glance>['from']
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

const COLUMNS: readonly Column<Glance>[] = [
  {
    id: 'name',
    header: 'Deployment',
    isRowHeader: true,
    canSort: true,
    cell: ({ deployment_id, name }) => (
      <Link
        to={pagesOf(deployment_id).overview}
        className="font-medium hover:text-accent hover:underline"
      >
        {name}
      </Link>
    ),
  },
  {
    id: 'state',
    header: 'Now',
    cell: ({ now }) => (
      <Status tone={now ? 'good' : 'off'}>
        {now ? `${now.servers} ${now.servers === 1 ? 'server' : 'servers'}` : 'Not running'}
      </Status>
    ),
  },
  ...FIGURES.map(
    (figure): Column<Glance> => ({
      id: figure.id,
      header: figure.header,
      align: 'right',
      canSort: true,
      ...(figure.from && { from: figure.from }),
      cell: (one) => {
        const value = figure.valueOf(one)
        const isBad = figure.isBadAbove !== undefined && value > figure.isBadAbove
        return <span className={isBad ? 'font-medium text-bad' : ''}>{figure.text(value)}</span>
      },
    }),
  ),
]

/** `sort`: a column's id; with a `-` before it, largest first. */
export function DeploymentsTable(props: {
  deployments: readonly Glance[]
  sort: string | undefined
  onSort: (sort: string) => void
}) {
  const { sort = '-failed' } = props
  const column = sort.replace(/^-/, '')
  const isDown = sort.startsWith('-')
  return (
    <Table
      label="Deployments"
      columns={COLUMNS}
      rows={sorted(props.deployments, column, isDown)}
      keyOf={({ deployment_id }) => deployment_id}
      linkOf={({ deployment_id }) => `/operations?deployment=${deployment_id}`}
      sort={{ column, direction: isDown ? 'descending' : 'ascending' }}
      onSort={({ column: by, direction }) =>
        props.onSort(`${direction === 'descending' ? '-' : ''}${String(by)}`)
      }
      empty={<Empty title="No deployments yet">Their requests and runs appear here.</Empty>}
    />
  )
}

function sorted(all: readonly Glance[], column: string, isDown: boolean): Glance[] {
  const figure = FIGURES.find(({ id }) => id === column)
  const byName = all.toSorted((a, b) => a.name.localeCompare(b.name))
  const rows = figure ? byName.toSorted((a, b) => figure.valueOf(a) - figure.valueOf(b)) : byName
  return isDown ? rows.toReversed() : rows
}
