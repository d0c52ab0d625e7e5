/** The deployments side by side; failing, waiting or growing ones stand out. */
import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import { pagesOf } from '../api/deployment-pages.ts'
import { Empty } from '../design/empty.tsx'
import { type ListColumn, RowList, sortRows } from '../design/row-list.tsx'
import { Status } from '../design/status.tsx'
import { bytesText, countText, durationText } from '../design/text/format.ts'
import { endedRuns, failedRuns } from './figures.ts'
import type { Glance, Point } from './queries.ts'

interface Figure extends Pick<ListColumn<Glance>, 'id' | 'header' | 'from'> {
  valueOf: (one: Glance) => number
  text: (value: number) => string
  isBad?: true
}

const seconds = (value: number) => (value === 0 ? '–' : durationText(value * 1_000))
const count = (value: number) => (value === 0 ? '–' : countText(value))

const percent = (
  id: string,
  header: string,
  from: 'md' | 'lg',
  of: 'duration_seconds' | 'first_output_seconds' | 'wait_seconds',
): Figure => ({ id, header, from, text: seconds, valueOf: ({ total }) => total?.[of]?.p95 ?? 0 })

const total = (id: string, header: string, of: (total: Point) => number, isBad?: true): Figure => ({
  id,
  header,
  text: count,
  valueOf: ({ total }) => (total ? of(total) : 0),
  ...(isBad && { isBad }),
})

const FIGURES: readonly Figure[] = [
  total('requests', 'Requests', ({ requests }) => requests),
  total('errors', 'Errors', ({ errors }) => errors, true),
  total('runs', 'Runs', endedRuns),
  total('failed', 'Failed', failedRuns, true),
  percent('duration', 'Run p95', 'md', 'duration_seconds'),
  percent('first', 'First output p95', 'lg', 'first_output_seconds'),
  percent('wait', 'Wait p95', 'lg', 'wait_seconds'),
  {
    id: 'queue',
    header: 'Waiting now',
    text: count,
    from: 'md',
    valueOf: ({ now }) => now?.waiting ?? 0,
  },
  {
    id: 'memory',
    header: 'Memory now',
    from: 'md',
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
    ({ valueOf: of, text, isBad, ...column }): ListColumn<Glance> => ({
      ...column,
      sortBy: of,
      width: 'minmax(4.5rem,1fr)',
      align: 'right',
      cell: (one) => (
        <span className={isBad && of(one) > 0 ? 'font-medium text-bad' : ''}>{text(of(one))}</span>
      ),
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
