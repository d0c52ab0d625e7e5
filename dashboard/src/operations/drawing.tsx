/** The drawing of a chart. Screen readers skip it: the legend has the figures. */
import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react'
import uPlot from 'uplot'
import { classes } from '../design/classes.ts'
import { onNewColorScheme } from '../design/color-scheme.ts'
import { clockFormat } from '../design/text/format.ts'
import type { Point, Series } from './queries.ts'
import 'uplot/dist/uPlot.min.css'

export interface Band {
  name: string
  /** A colour token's name: `series-1`, `bad`. */
  color: string
  valueOf: (point: Point) => number | null
  /** Dashed, to be distinguishable without colour. */
  isDashed?: boolean
}

export interface ChartRow {
  at: number
  values: Record<string, number | null>
}

export interface DrawingProps {
  series: Series
  bands: readonly Band[]
  /** `bars`: stacked counts. `lines`: durations. `area`: an amount. */
  kind: 'bars' | 'lines' | 'area'
  format: (value: number) => string
  rows: ChartRow[]
  /** Shown at the pointer, for the nearest row. */
  readout: (row: ChartRow) => ReactNode
}

const HEIGHT = 168
/** Counts and bytes are whole numbers: the steps between their labels. */
const STEPS = Array.from({ length: 15 }, (_, n) => [1, 2, 5].map((one) => one * 10 ** n)).flat()

export function Drawing(props: DrawingProps) {
  const { rows, bands, kind, readout } = props
  const place = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot>(undefined)
  const latest = useRef(props)
  latest.current = props
  const [pointer, setPointer] = useState<{ idx: number; left: number; isAtRight: boolean }>()
  const names = bands.map(({ name }) => name).join()
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another kind and other bands need another plot
  useEffect(() => {
    const element = place.current
    if (!element) return
    const made = new uPlot(optionsOf(latest, element), columnsOf(latest.current), element)
    made.hooks.setCursor = [
      ({ cursor: { idx, left = 0 }, over: { offsetLeft, clientWidth } }) =>
        setPointer(
          idx == null
            ? undefined
            : { idx, left: offsetLeft + left, isAtRight: left > clientWidth / 2 },
        ),
    ]
    plot.current = made
    const fit = new ResizeObserver(() =>
      made.setSize({ width: element.clientWidth, height: HEIGHT }),
    )
    fit.observe(element)
    const stop = onNewColorScheme(() => made.redraw())
    return () => {
      fit.disconnect()
      stop()
      made.destroy()
    }
  }, [kind, names])
  useEffect(() => plot.current?.setData(columnsOf(props)), [props])
  const row = pointer && rows[pointer.idx]
  return (
    <div aria-hidden="true" className="relative h-[168px]">
      <div ref={place} className="[&_.u-cursor-x]:border-line-strong!" />
      {row && (
        <div
          className={classes(
            'pointer-events-none absolute top-1 z-10 px-2',
            pointer.isAtRight && '-translate-x-full',
          )}
          style={{ left: pointer.left }}
        >
          {readout(row)}
        </div>
      )}
    </div>
  )
}

/** The times, then each band. Bars are stacked: a column is the sum up to its band, and the highest is drawn first. */
function columnsOf({ rows, bands, kind }: DrawingProps): uPlot.AlignedData {
  const columns: (number | null)[][] = []
  for (const { name } of bands) {
    const values = rows.map((row) => row.values[name] ?? null)
    const [below] = columns
    if (kind !== 'bars') columns.push(values)
    else columns.unshift(values.map((value, at) => (value ?? 0) + (below?.[at] ?? 0)))
  }
  return [rows.map(({ at }) => at), ...columns]
}

function optionsOf(latest: RefObject<DrawingProps>, element: HTMLElement): uPlot.Options {
  const { bands, kind } = latest.current
  const isBars = kind === 'bars'
  // A canvas has no CSS variables: each drawing looks them up.
  const ink =
    (color: string, percent = 100) =>
    () => {
      element.style.color = `color-mix(in srgb, var(--color-${color}) ${percent}%, transparent)`
      return getComputedStyle(element).color
    }
  const domain = (): [number, number] => {
    const { from, to } = latest.current.series
    return [Date.parse(from), Date.parse(to)]
  }
  const drawn = ({ color, isDashed }: Band): uPlot.Series => ({
    ...(isBars
      ? { width: 0, paths: uPlot.paths.bars?.({ size: [0.8, 10] }) }
      : { width: 1.5, stroke: ink(color), paths: uPlot.paths.spline?.() }),
    ...(kind !== 'lines' && { fill: ink(color, isBars ? 100 : 12) }),
    ...(isDashed && { dash: [4, 3] }),
    points: { show: kind === 'lines', size: 4, width: 0, fill: ink(color) },
  })
  const line = { stroke: ink('line'), width: 1 }
  const font = `11px ${getComputedStyle(element).fontFamily}`
  const axis = { font, stroke: ink('ink-faint'), ticks: { show: false } }
  return {
    width: element.clientWidth,
    height: HEIGHT,
    padding: [8, 16, 0, 0],
    ms: 1,
    legend: { show: false },
    cursor: {
      y: false,
      drag: { x: false },
      points: { show: !isBars, size: 5 },
      sync: { key: 'operations' },
    },
    scales: {
      x: { range: domain },
      y: { range: (_, __, most) => [0, uPlot.rangeNum(0, most || 1, 0.1, true)[1]] },
    },
    axes: [
      {
        ...axis,
        size: 20,
        grid: { show: false },
        border: { show: true, ...line },
        splits: () => ticksOf(domain()),
        values: (_, times) => times.map((at) => clockFormat.format(at)),
      },
      {
        ...axis,
        size: 58,
        space: 36,
        grid: line,
        ...(kind !== 'lines' && { incrs: STEPS }),
        values: (_, values) => values.map((value) => latest.current.format(value)),
      },
    ],
    series: [{}, ...(isBars ? bands.toReversed() : bands).map(drawn)],
  }
}

const HOUR_MS = 3_600_000

/** At whole or partial hours, no more than fit. */
function ticksOf([from, to]: [number, number]): number[] {
  const hours = (to - from) / HOUR_MS
  const every = hours > 12 ? 4 * HOUR_MS : hours > 3 ? HOUR_MS : HOUR_MS / 4
  const offset = new Date(from).getTimezoneOffset() * 60_000
  const ticks: number[] = []
  for (let at = Math.ceil((from - offset) / every) * every + offset; at <= to; at += every) {
    ticks.push(at)
  }
  return ticks
}
