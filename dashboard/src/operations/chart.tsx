/** A chart over time. All charts of a page share one pointer, so one position shows the values of all. */
import { useId } from 'react'
import {
  Area,
  Bar,
  CartesianGrid,
  ComposedChart,
  Line,
  ResponsiveContainer,
  Tooltip,
  type TooltipContentProps,
  XAxis,
  YAxis,
} from 'recharts'
import type { Point, Series } from './queries.ts'

export interface Band {
  name: string
  /** A colour token's name: `series-1`, `bad`. */
  color: string
  valueOf: (point: Point) => number | null
  /** Dashed, to be distinguishable without colour. */
  isDashed?: boolean
}

interface ChartProps {
  title: string
  /** Shown beside the title. */
  note?: string
  series: Series
  bands: readonly Band[]
  /** `bars`: stacked counts. `lines`: durations. `area`: an amount. */
  kind: 'bars' | 'lines' | 'area'
  format: (value: number) => string
}

const HEIGHT = 168
const AXIS = { fontSize: 11, fill: 'var(--color-ink-faint)' }

export function Chart({ title, note, series, bands, kind, format }: ChartProps) {
  const id = useId()
  const rows = rowsOf(series, bands)
  const hasData = rows.some((row) => bands.some(({ name }) => row.values[name] != null))
  return (
    <figure
      aria-labelledby={id}
      className="min-w-0 rounded-lg border border-line bg-surface px-4 pt-3 pb-2"
    >
      <figcaption className="mb-2 flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
        <span id={id} className="font-medium">
          {title} {note && <span className="text-sm font-normal text-ink-faint">{note}</span>}
        </span>
        <Legend rows={rows} bands={bands} format={format} kind={kind} />
      </figcaption>
      {hasData ? (
        <Drawing rows={rows} series={series} bands={bands} kind={kind} format={format} />
      ) : (
        <p className="flex h-[168px] items-center justify-center text-ink-faint">
          Nothing in this time
        </p>
      )}
    </figure>
  )
}

interface ChartRow {
  at: number
  values: Record<string, number | null>
}

/** One row per step; a step without a point is a gap. */
function rowsOf({ from, to, step_seconds, points }: Series, bands: readonly Band[]): ChartRow[] {
  const byTime = new Map(points.map((point) => [Date.parse(point.at), point]))
  const stepMs = step_seconds * 1_000
  const rows: ChartRow[] = []
  for (let at = Date.parse(from); at < Date.parse(to); at += stepMs) {
    const point = byTime.get(at)
    const values = bands.map((band) => [band.name, point ? band.valueOf(point) : null])
    rows.push({ at, values: Object.fromEntries(values) })
  }
  return rows
}

function Drawing(props: Omit<ChartProps, 'title' | 'note'> & { rows: ChartRow[] }) {
  const { rows, series, bands, kind, format } = props
  const domain = [Date.parse(series.from), Date.parse(series.to)]
  return (
    <div aria-hidden="true">
      <ResponsiveContainer width="100%" height={HEIGHT}>
        <ComposedChart
          data={rows}
          syncId="operations"
          syncMethod="value"
          margin={{ top: 4, right: 4, bottom: 0, left: 0 }}
          barCategoryGap={1}
          accessibilityLayer={false}
        >
          <CartesianGrid vertical={false} stroke="var(--color-line)" />
          <XAxis
            dataKey="at"
            type="number"
            scale="time"
            domain={domain}
            ticks={ticksOf(domain)}
            tickFormatter={clock}
            tick={AXIS}
            tickLine={false}
            axisLine={{ stroke: 'var(--color-line)' }}
            height={20}
          />
          <YAxis
            tick={AXIS}
            tickFormatter={format}
            tickLine={false}
            axisLine={false}
            width={58}
            tickCount={4}
            // Counts and bytes are whole numbers.
            allowDecimals={kind === 'lines'}
            domain={[0, 'auto']}
          />
          <Tooltip
            isAnimationActive={false}
            cursor={{ stroke: 'var(--color-line-strong)', fill: 'var(--color-hover)' }}
            content={(shown) => <Readout {...shown} bands={bands} format={format} />}
          />
          {bands.map((band) => drawn(band, kind))}
        </ComposedChart>
      </ResponsiveContainer>
    </div>
  )
}

function drawn({ name, color, isDashed }: Band, kind: ChartProps['kind']) {
  const ink = `var(--color-${color})`
  const common = {
    dataKey: (row: ChartRow) => row.values[name],
    name,
    isAnimationActive: false,
  }
  if (kind === 'bars')
    return <Bar key={name} {...common} stackId="one" fill={ink} maxBarSize={10} />
  const line = {
    ...common,
    stroke: ink,
    strokeWidth: 1.5,
    type: 'monotone' as const,
    connectNulls: false,
    ...(isDashed && { strokeDasharray: '4 3' }),
  }
  if (kind === 'area')
    return <Area key={name} {...line} fill={ink} fillOpacity={0.12} dot={false} />
  return <Line key={name} {...line} dot={{ r: 1.5, fill: ink, strokeWidth: 0 }} />
}

/** The values at the pointer. */
function Readout({
  active,
  payload,
  bands,
  format,
}: Pick<TooltipContentProps, 'active' | 'payload'> & Pick<ChartProps, 'bands' | 'format'>) {
  const row = payload?.[0]?.payload as ChartRow | undefined
  if (!active || !row) return null
  return (
    <div className="rounded-md border border-line bg-raised px-2.5 py-1.5 text-sm shadow-overlay">
      <p className="mb-0.5 text-ink-soft tabular-nums">{exactClock(row.at)}</p>
      {bands.map(({ name, color }) => (
        <p key={name} className="flex items-center gap-2">
          <Swatch color={color} />
          <span className="flex-1 text-ink-soft">{name}</span>
          <span className="pl-3 font-medium tabular-nums">
            {valueText(row.values[name], format)}
          </span>
        </p>
      ))}
    </div>
  )
}

/** The bands by name, each with its sum (counts) or its latest value. Screen readers read this instead of the chart. */
function Legend({
  rows,
  bands,
  format,
  kind,
}: Pick<ChartProps, 'bands' | 'format' | 'kind'> & { rows: ChartRow[] }) {
  return (
    <span className="flex flex-wrap gap-x-3 text-sm text-ink-soft">
      {bands.map(({ name, color }) => {
        const values = rows.map((row) => row.values[name]).filter((value) => value != null)
        const told = kind === 'bars' ? values.reduce((sum, value) => sum + value, 0) : values.at(-1)
        return (
          <span key={name} className="inline-flex items-center gap-1.5 whitespace-nowrap">
            <Swatch color={color} />
            {name}
            <span className="text-ink tabular-nums">
              {values.length > 0 ? valueText(told, format) : '–'}
            </span>
          </span>
        )
      })}
    </span>
  )
}

function Swatch({ color }: { color: string }) {
  return (
    <span
      aria-hidden="true"
      className="size-2 shrink-0 rounded-[2px]"
      style={{ background: `var(--color-${color})` }}
    />
  )
}

function valueText(value: number | null | undefined, format: (value: number) => string): string {
  return value == null ? '–' : format(value)
}

const HOUR_MS = 3_600_000

/** At whole or partial hours, no more than fit. */
function ticksOf([from = 0, to = 0]: number[]): number[] {
  const hours = (to - from) / HOUR_MS
  const every = hours > 12 ? 4 * HOUR_MS : hours > 3 ? HOUR_MS : HOUR_MS / 4
  const offset = new Date(from).getTimezoneOffset() * 60_000
  const ticks: number[] = []
  for (let at = Math.ceil((from - offset) / every) * every + offset; at <= to; at += every) {
    ticks.push(at)
  }
  return ticks
}

const clockFormat = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' })
const exactFormat = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' })

function clock(at: number): string {
  return clockFormat.format(at)
}

function exactClock(at: number): string {
  return exactFormat.format(at)
}
