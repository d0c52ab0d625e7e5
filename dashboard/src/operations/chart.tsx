/** A chart over time. All charts of a page share one pointer, so one position shows the values of all. */
import { useId } from 'react'
import { type Band, type ChartRow, Drawing, type DrawingProps } from './drawing.tsx'
import type { Series } from './queries.ts'

export interface ChartProps extends Pick<DrawingProps, 'bands' | 'kind' | 'format'> {
  title: string
  /** Shown beside the title. */
  note?: string
}

export function Chart(props: ChartProps & { series: Series }) {
  const { title, note, series, bands } = props
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
        <Legend rows={rows} {...props} />
      </figcaption>
      {hasData ? (
        <Drawing {...props} rows={rows} readout={(row) => <Readout row={row} {...props} />} />
      ) : (
        <p className="flex h-[168px] items-center justify-center text-ink-faint">
          Nothing in this time
        </p>
      )}
    </figure>
  )
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

/** The values at the pointer. */
function Readout({ row, bands, format }: ChartProps & { row: ChartRow }) {
  return (
    <div className="rounded-md border border-line bg-raised px-2.5 py-1.5 text-sm shadow-overlay">
      <p className="mb-0.5 text-ink-soft tabular-nums">{timeFormat.format(row.at)}</p>
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
function Legend({ rows, bands, format, kind }: ChartProps & { rows: ChartRow[] }) {
  return (
    <span className="flex flex-wrap gap-x-3 text-sm text-ink-soft">
      <span className="text-ink-faint">{kind === 'bars' ? 'In all' : 'Latest'}</span>
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

const timeFormat = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' })
