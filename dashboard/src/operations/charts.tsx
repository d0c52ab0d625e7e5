/** The charts of one deployment, or of all together. */
import { bytesText, countText, durationText } from '../design/text/format.ts'
import { Chart } from './chart.tsx'
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

export function Charts({ series }: { series: Series }) {
  const common = { series }
  return (
    <div className="grid gap-3 lg:grid-cols-2">
      <Chart
        {...common}
        title="Requests"
        note="through the gateway"
        kind="bars"
        format={countText}
        bands={[
          {
            name: 'Answered',
            color: 'series-1',
            valueOf: (one) => one.requests - one.refusals - one.errors,
          },
          { name: 'Refused', color: 'series-3', valueOf: (one) => one.refusals },
          { name: 'Errors', color: 'bad', valueOf: (one) => one.errors },
        ]}
      />
      <Chart
        {...common}
        title="Runs"
        note="by outcome"
        kind="bars"
        format={countText}
        bands={[
          { name: 'Done', color: 'series-1', valueOf: (one) => runsOf(one, ['success']) },
          { name: 'Interrupted', color: 'series-5', valueOf: (one) => runsOf(one, STOPPED) },
          { name: 'Failed', color: 'bad', valueOf: failedRuns },
        ]}
      />
      <Chart
        {...common}
        title="Duration of runs"
        kind="lines"
        format={seconds}
        bands={percentiles((one) => one.duration_seconds)}
      />
      <Chart
        {...common}
        title="First output"
        note="from when a run was due"
        kind="lines"
        format={seconds}
        bands={percentiles((one) => one.first_output_seconds)}
      />
      <Chart
        {...common}
        title="Queue"
        note="runs"
        kind="area"
        format={countText}
        bands={[
          { name: 'Waiting', color: 'series-3', valueOf: (one) => one.waiting },
          { name: 'Running', color: 'series-1', valueOf: (one) => one.running },
        ]}
      />
      <Chart
        {...common}
        title="Wait in the queue"
        kind="lines"
        format={seconds}
        bands={[
          ...percentiles((one) => one.wait_seconds).slice(0, 2),
          { name: 'Oldest', color: 'series-4', valueOf: (one) => one.queue_age_seconds },
        ]}
      />
      <Chart
        {...common}
        title="Memory"
        kind="area"
        format={bytesText}
        bands={[{ name: 'In use', color: 'series-2', valueOf: (one) => one.memory_bytes }]}
      />
      <Chart
        {...common}
        title="Open streams"
        kind="area"
        format={countText}
        bands={[{ name: 'Streams', color: 'series-4', valueOf: (one) => one.streams_open }]}
      />
      <Chart
        {...common}
        title="Processors"
        note="in use"
        kind="area"
        format={cores}
        bands={[{ name: 'Cores', color: 'series-2', valueOf: (one) => one.cpu_cores }]}
      />
      <Chart
        {...common}
        title="Event-loop delay"
        note="of the worst process, p99"
        kind="lines"
        format={seconds}
        bands={[
          { name: 'Delay', color: 'series-3', valueOf: (one) => one.event_loop_delay_seconds },
        ]}
      />
    </div>
  )
}

/** The control plane's own process. */
export function OwnCharts({ series }: { series: Series }) {
  return (
    <div className="grid gap-3 lg:grid-cols-2">
      <Chart
        title="Requests"
        note="to its API"
        kind="bars"
        format={countText}
        series={series}
        bands={[
          {
            name: 'Answered',
            color: 'series-1',
            valueOf: (one) => one.requests - one.refusals - one.errors,
          },
          { name: 'Refused', color: 'series-3', valueOf: (one) => one.refusals },
          { name: 'Errors', color: 'bad', valueOf: (one) => one.errors },
        ]}
      />
      <Chart
        title="Memory"
        kind="area"
        format={bytesText}
        series={series}
        bands={[{ name: 'In use', color: 'series-2', valueOf: (one) => one.memory_bytes }]}
      />
    </div>
  )
}

function percentiles(of: (point: Point) => Point['duration_seconds']) {
  return [
    { name: 'p50', color: 'series-1', valueOf: (one: Point) => of(one)?.p50 ?? null },
    { name: 'p95', color: 'series-2', valueOf: (one: Point) => of(one)?.p95 ?? null },
    {
      name: 'p99',
      color: 'series-4',
      isDashed: true,
      valueOf: (one: Point) => of(one)?.p99 ?? null,
    },
  ]
}
