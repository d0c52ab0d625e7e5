// biome-ignore-all lint/a11y/useSemanticElements: only the visible part of the table is rendered
// biome-ignore-all lint/a11y/useFocusableInteractive: the keyboard moves between rows, not cells
/**
 * A table of any length: only visible rows are rendered and loaded. Arrow keys (and `j`, `k`) move between rows, Enter
 * opens a row, Space selects it.
 */
import { useNavigate } from '@tanstack/react-router'
import { useVirtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, type ReactNode, useEffect, useMemo, useRef } from 'react'
import { classes } from './classes.ts'
import { CheckMark } from './field.tsx'
import { useIsNarrow } from './narrow.ts'

export interface ListColumn<T> {
  id: string
  header: string
  cell: (row: T) => ReactNode
  /** A CSS grid track: `6rem`, `minmax(0,1fr)`. */
  width: string
  align?: 'right'
  /** Second on a phone, where a list scrolls sideways. */
  isTime?: boolean
}

const ROW_HEIGHT = 36

export function RowList<T>(props: {
  label: string
  columns: readonly ListColumn<T>[]
  count: number
  /** `undefined`: the row is not loaded yet. */
  rowAt: (index: number) => T | undefined
  keyOf: (row: T) => string
  linkOf: (row: T) => string
  /** Called with the range of visible rows. */
  onSeen: (first: number, last: number) => void
  /** Absent: rows cannot be selected. */
  selection?: { keys: ReadonlySet<string>; onChange: (keys: ReadonlySet<string>) => void }
  /** The height of the list, as a class. */
  height?: string
}) {
  const { count, rowAt, keyOf, linkOf, selection, onSeen } = props
  const columns = useTimeInSight(props.columns)
  const frame = useRef<HTMLDivElement>(null)
  const navigate = useNavigate()
  const rows = useVirtualizer({
    count,
    getScrollElement: () => frame.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 10,
  })
  const items = rows.getVirtualItems()
  const [first, last] = [items[0]?.index ?? 0, items.at(-1)?.index ?? 0]
  useEffect(() => onSeen(first, last), [first, last, onSeen])
  const tracks = columns.map(({ width }) => width).join(' ')
  const template = selection ? `2rem ${tracks}` : tracks
  const toggle = (key: string) => {
    if (!selection) return
    const keys = new Set(selection.keys)
    if (!keys.delete(key)) keys.add(key)
    selection.onChange(keys)
  }
  const press = (event: KeyboardEvent<HTMLElement>, index: number, row: T) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step !== 0) focusRow(frame.current, index + step, () => rows.scrollToIndex(index + step))
    else if (event.key === 'Enter') void navigate({ to: linkOf(row) })
    else if (event.key === ' ' && selection) toggle(keyOf(row))
    else return
    event.preventDefault()
  }
  return (
    <div className="overflow-x-auto rounded-lg border border-line bg-surface">
      <div
        role="grid"
        aria-label={props.label}
        aria-rowcount={count + 1}
        aria-multiselectable={selection !== undefined}
        className="min-w-max sm:min-w-0"
      >
        <div role="rowgroup" className="border-b border-line text-sm font-medium text-ink-soft">
          <div
            role="row"
            className="grid items-center px-1"
            style={{ gridTemplateColumns: template }}
          >
            {selection && (
              <div role="columnheader">
                <span className="sr-only">Chosen</span>
              </div>
            )}
            {columns.map(({ id, header, align }) => (
              <div
                key={id}
                role="columnheader"
                className={classes('truncate px-2 py-2', align === 'right' && 'text-right')}
              >
                {header}
              </div>
            ))}
          </div>
        </div>
        <div
          ref={frame}
          role="rowgroup"
          className={classes('relative overflow-y-auto', props.height ?? 'max-h-[65vh]')}
        >
          <div style={{ height: rows.getTotalSize() }} role="presentation" />
          {items.map(({ index, start }) => {
            const row = rowAt(index)
            return (
              <div
                key={row ? keyOf(row) : index}
                role="row"
                tabIndex={index === first ? 0 : -1}
                aria-rowindex={index + 2}
                aria-selected={
                  selection ? row !== undefined && selection.keys.has(keyOf(row)) : undefined
                }
                data-index={index}
                className={classes(
                  'absolute inset-x-0 top-0 grid items-center border-b border-line px-1 outline-offset-[-2px] hover:bg-hover',
                  row && selection?.keys.has(keyOf(row)) && 'bg-accent-soft',
                  row && 'cursor-pointer',
                )}
                style={{
                  height: ROW_HEIGHT,
                  transform: `translateY(${start}px)`,
                  gridTemplateColumns: template,
                }}
                onClick={() => row && void navigate({ to: linkOf(row) })}
                onKeyDown={(event) => row && press(event, index, row)}
              >
                {row && selection && (
                  <div role="gridcell" className="flex justify-center">
                    <span
                      className="group relative"
                      data-selected={selection.keys.has(keyOf(row)) || undefined}
                    >
                      <input
                        type="checkbox"
                        tabIndex={-1}
                        aria-label={`Choose ${keyOf(row)}`}
                        className="absolute inset-0 size-4 opacity-0"
                        checked={selection.keys.has(keyOf(row))}
                        onClick={(event) => event.stopPropagation()}
                        onChange={() => toggle(keyOf(row))}
                      />
                      <CheckMark />
                    </span>
                  </div>
                )}
                <Cells columns={columns} row={row} />
              </div>
            )
          })}
        </div>
      </div>
    </div>
  )
}

function useTimeInSight<T>(columns: readonly ListColumn<T>[]): readonly ListColumn<T>[] {
  const isNarrow = useIsNarrow()
  return useMemo(() => {
    const [first, ...rest] = columns.filter(({ isTime }) => !isTime)
    if (!isNarrow || !first) return columns
    return [first, ...columns.filter(({ isTime }) => isTime), ...rest]
  }, [columns, isNarrow])
}

/** Rendered once and kept while the list scrolls. */
function Cells<T>({ columns, row }: { columns: readonly ListColumn<T>[]; row: T | undefined }) {
  return useMemo(
    () =>
      columns.map(({ id, cell, align }) => (
        <div
          key={id}
          role="gridcell"
          className={classes(
            'min-w-0 truncate px-2',
            align === 'right' && 'text-right tabular-nums',
          )}
        >
          {row ? cell(row) : <span className="inline-block h-3 w-2/3 rounded-sm bg-off-soft" />}
        </div>
      )),
    [columns, row],
  )
}

/** The row may have to be rendered first. */
function focusRow(frame: HTMLElement | null, index: number, show: () => void): void {
  const focus = () => {
    const row = frame?.querySelector<HTMLElement>(`[data-index="${index}"]`)
    row?.focus({ preventScroll: true })
    return row !== null
  }
  show()
  if (!focus()) requestAnimationFrame(focus)
}
