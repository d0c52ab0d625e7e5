/** Between two columns: dragged with the pointer, or moved with the arrow keys. The widths are kept in this browser. */
import { type KeyboardEvent, type PointerEvent, useState } from 'react'
import { z } from 'zod'
import type { ColumnName } from './search.ts'

/** Shares of the width. */
type Widths = Record<ColumnName, number>

const KEY = 'runyard.studio.columns'
const USUAL: Widths = { graph: 30, talk: 40, state: 30 }
/** The least width of a column, in px. */
const LEAST = 200
/** How far an arrow key moves the separator, in px. */
const STEP = 24

const share = z.number().positive().finite()
const widthsSchema = z.object({ graph: share, talk: share, state: share })

export function useWidths() {
  const [widths, setWidths] = useState(readWidths)
  const resize = (changed: Partial<Widths>) => {
    const after = { ...widths, ...changed }
    localStorage.setItem(KEY, JSON.stringify(after))
    setWidths(after)
  }
  return { widths, resize }
}

function readWidths(): Widths {
  try {
    return widthsSchema.parse(JSON.parse(localStorage.getItem(KEY) ?? ''))
  } catch {
    return USUAL
  }
}

export function Separator(props: {
  label: string
  before: ColumnName
  after: ColumnName
  widths: Widths
  resize: (changed: Partial<Widths>) => void
}) {
  const { before, after, widths, resize } = props
  const both = widths[before] + widths[after]
  /** Makes the left column wider by this many px. */
  const move = (bar: Element, by: number) => {
    const left = bar.previousElementSibling?.getBoundingClientRect()
    const right = bar.nextElementSibling?.getBoundingClientRect()
    if (!left || !right) return
    const all = left.width + right.width
    const wanted = Math.min(Math.max(left.width + by, LEAST), all - LEAST)
    const part = (both * wanted) / all
    resize({ [before]: part, [after]: both - part })
  }
  const onPointerMove = (event: PointerEvent<HTMLElement>) => {
    const bar = event.currentTarget
    if (!bar.hasPointerCapture(event.pointerId)) return
    const from = bar.getBoundingClientRect()
    move(bar, event.clientX - (from.left + from.width / 2))
  }
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const by = { ArrowLeft: -STEP, ArrowRight: STEP, Home: -Infinity, End: Infinity }[event.key]
    if (by === undefined) return
    event.preventDefault()
    move(event.currentTarget, by)
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a rule cannot be moved
    <div
      role="separator"
      tabIndex={0}
      aria-label={props.label}
      aria-orientation="vertical"
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round((100 * widths[before]) / both)}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={onPointerMove}
      onKeyDown={onKeyDown}
      onDoubleClick={() => resize(USUAL)}
      className="relative z-10 -mx-1 w-2.25 shrink-0 cursor-col-resize touch-none max-lg:hidden after:absolute after:inset-y-0 after:left-1 after:w-px after:bg-line hover:after:w-0.5 hover:after:bg-accent focus-visible:after:bg-accent"
    />
  )
}
