/** The charts of one deployment, or of all together. */
import { bytesText, countText, durationText } from '../design/text/format.ts'
import { Chart, type ChartProps } from './chart.tsx'
import type { Band } from './drawing.tsx'
import type { Point, Series } from './queries.ts'

const seconds = (value: number) => (value === 0 ? '0' : durationText(value * 1_000))
const cores = (value: number) => value.toFixed(2)
/** Ends that are neither a success nor a failure. */
const STOPPED = ['interrupted']
const FAILED = ['error', 'timeout']

export function runsOf(point: Point, statuses: readonly string[]): number {
  return statuses.reduce((sum, status) => sum + (point.runs[status] ?? 0), 0)
}

export function failedRuns(point: Point): number {
  return runsOf(point, FAILED)
}

export function endedRuns(point: Point): number {
  return Object.values(point.runs).reduce((sum, count) => sum + count, 0)
}

const band = (name: string, color: string, of: Band['valueOf']) => ({ name, color, valueOf: of })

const COUNTS = { kind: 'bars', format: countText } as const
const DURATIONS = { kind: 'lines', format: seconds } as const
const NUMBER = { kind: 'area', format: countText } as const
const BYTES = { kind: 'area', format: bytesText } as const

const REQUESTS = [
  band('Answered', 'series-1', (one) => one.requests - one.refusals - one.errors),
  band('Refused', 'series-3', (one) => one.refusals),
  band('Errors', 'bad', (one) => one.errors),
]
const MEMORY: ChartProps = {
  ...{ title: 'Memory', ...BYTES },
  bands: [band('In use', 'series-2', (one) => one.memory_bytes)],
}

const CHARTS: readonly ChartProps[] = [
  { title: 'Requests', note: 'through the gateway', ...COUNTS, bands: REQUESTS },
  {
    ...{ title: 'Runs', note: 'by outcome', ...COUNTS },
    bands: [
      band('Done', 'series-1', (one) => runsOf(one, ['success'])),
      band('Interrupted', 'series-5', (one) => runsOf(one, STOPPED)),
      band('Failed', 'bad', failedRuns),
    ],
  },
  { title: 'Duration of runs', ...DURATIONS, bands: percentiles((one) => one.duration_seconds) },
  {
    ...{ title: 'First output', note: 'from when a run was due', ...DURATIONS },
    bands: percentiles((one) => one.first_output_seconds),
  },
  {
    ...{ title: 'Queue', note: 'runs', ...NUMBER },
    bands: [
      band('Waiting', 'series-3', (one) => one.waiting),
      band('Running', 'series-1', (one) => one.running),
    ],
  },
  {
    ...{ title: 'Wait in the queue', ...DURATIONS },
    bands: [
      ...percentiles((one) => one.wait_seconds).slice(0, 2),
      band('Oldest', 'series-4', (one) => one.queue_age_seconds),
    ],
  },
  MEMORY,
  {
    ...{ title: 'Open streams', ...NUMBER },
    bands: [band('Streams', 'series-4', (one) => one.streams_open)],
  },
  {
    ...{ title: 'Processors', note: 'in use', kind: 'area', format: cores },
    bands: [band('Cores', 'series-2', (one) => one.cpu_cores)],
  },
  {
    ...{ title: 'Event-loop delay', note: 'of the worst process, p99', ...DURATIONS },
    bands: [band('Delay', 'series-3', (one) => one.event_loop_delay_seconds)],
  },
]

/** The control plane's own process. */
const OWN_CHARTS: readonly ChartProps[] = [
  { title: 'Requests', note: 'to its API', ...COUNTS, bands: REQUESTS },
  MEMORY,
]

export function Charts({ series, isOwn = false }: { series: Series; isOwn?: boolean }) {
  return (
    <div className="grid gap-3 lg:grid-cols-2">
      {(isOwn ? OWN_CHARTS : CHARTS).map((chart) => (
        <Chart key={chart.title} series={series} {...chart} />
      ))}
    </div>
  )
}

function percentiles(of: (point: Point) => Point['duration_seconds']): Band[] {
  return [
    band('p50', 'series-1', (one) => of(one)?.p50 ?? null),
    band('p95', 'series-2', (one) => of(one)?.p95 ?? null),
    { ...band('p99', 'series-4', (one) => of(one)?.p99 ?? null), isDashed: true },
  ]
}
