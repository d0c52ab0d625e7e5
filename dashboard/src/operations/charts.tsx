/** The charts of one deployment, or of all together. */
import { useDeferredValue } from 'react'
import { bytesText, countText, durationText } from '../design/text/format.ts'
import { Chart, type ChartProps } from './chart.tsx'
import type { Band } from './drawing.tsx'
import { failedRuns, runsOf, STOPPED } from './figures.ts'
import type { Series } from './queries.ts'

const seconds = (value: number) => (value === 0 ? '0' : durationText(value * 1_000))
const cores = (value: number) => value.toFixed(2)

export type ChartName = keyof typeof CHARTS

interface Drawing extends Pick<ChartProps, 'title' | 'kind' | 'format'> {
  /** Precedes the time in the note. */
  what?: string
  bands: readonly Band[]
}

const band = (name: string, color: string, of: Band['valueOf']): Band => ({
  name,
  color,
  valueOf: of,
})

const counts = (title: string, what: string, bands: readonly Band[]): Drawing => ({
  title,
  what,
  bands,
  kind: 'bars',
  format: countText,
})

const amount = (title: string, format: Drawing['format'], bands: readonly Band[]): Drawing => ({
  title,
  bands,
  format,
  kind: 'area',
})

const times = (title: string, what: string, bands: readonly Band[]): Drawing => ({
  title,
  what,
  bands,
  kind: 'lines',
  format: seconds,
})

const REQUESTS = [
  band('Answered', 'series-1', (one) => one.requests - one.refusals - one.errors),
  band('Refused', 'series-3', (one) => one.refusals),
  band('Errors', 'bad', (one) => one.errors),
]

const CHARTS = {
  requests: counts('Requests', 'through the gateway', REQUESTS),
  runs: counts('Runs', 'by outcome', [
    band('Done', 'series-1', (one) => runsOf(one, ['success'])),
    band('Interrupted', 'series-5', (one) => runsOf(one, STOPPED)),
    band('Failed', 'bad', failedRuns),
  ]),
  answers: times('Request time', 'to the end of the answer', percentiles('request_seconds')),
  duration: times('Run time', '', percentiles('duration_seconds')),
  first: times('First output', 'from when a run was due', percentiles('first_output_seconds')),
  token: times('First token', 'from when a run was due', percentiles('first_token_seconds')),
  tokens: counts('Tokens', 'of models', [
    band('Input', 'series-1', (one) => one.tokens.input ?? 0),
    band('Output', 'series-2', (one) => one.tokens.output ?? 0),
  ]),
  queue: {
    ...amount('Queue', countText, [
      band('Waiting', 'series-3', (one) => one.waiting),
      band('Running', 'series-1', (one) => one.running),
    ]),
    what: 'runs',
  },
  wait: times('Wait in the queue', '', [
    ...percentiles('wait_seconds').slice(0, 2),
    band('Oldest', 'series-4', (one) => one.queue_age_seconds),
  ]),
  memory: amount('Memory', bytesText, [band('In use', 'series-2', (one) => one.memory_bytes)]),
  streams: amount('Open streams', countText, [
    band('Streams', 'series-4', (one) => one.streams_open),
  ]),
  processor: {
    ...amount('Processors', cores, [band('Cores', 'series-2', (one) => one.cpu_cores)]),
    what: 'in use',
  },
  delay: times('Event-loop delay', 'of the worst process, p99', [
    band('Delay', 'series-3', (one) => one.event_loop_delay_seconds),
  ]),
} satisfies Record<string, Drawing>

/** `time`: the time of the series, in words. */
export function OneChart(props: { name: ChartName; series: Series; time: string }) {
  const { what, ...drawing }: Drawing = CHARTS[props.name]
  const note = [what, props.time].filter(Boolean).join(', ')
  return <Chart {...drawing} note={note} series={props.series} />
}

/** How many charts a window shows at first. */
const FIRST = 4

/** The others are drawn after the first ones are on the screen. */
export function Charts(props: { series: Series; time: string }) {
  const names = Object.keys(CHARTS) as ChartName[]
  const drawn = useDeferredValue(names.length, FIRST)
  return (
    <div className="grid auto-rows-[minmax(14rem,auto)] gap-3 lg:grid-cols-2">
      {names.map((name, at) =>
        at < drawn ? <OneChart key={name} name={name} {...props} /> : <div key={name} />,
      )}
    </div>
  )
}

/** The control plane's own process. */
export function OwnCharts({ series, time }: { series: Series; time: string }) {
  return (
    <div className="grid gap-3 lg:grid-cols-2">
      <Chart {...counts('Requests', '', REQUESTS)} note={`to its API, ${time}`} series={series} />
      <OneChart name="memory" series={series} time={time} />
    </div>
  )
}

type Times = 'request' | 'duration' | 'first_output' | 'first_token' | 'wait'

function percentiles(of: `${Times}_seconds`): Band[] {
  return [
    band('p50', 'series-1', (one) => one[of]?.p50 ?? null),
    band('p95', 'series-2', (one) => one[of]?.p95 ?? null),
    { ...band('p99', 'series-4', (one) => one[of]?.p99 ?? null), isDashed: true },
  ]
}
