// biome-ignore-all lint/a11y/useSemanticElements: only the visible part of the table is rendered
// biome-ignore-all lint/a11y/useFocusableInteractive: the keyboard moves between rows, not cells
/**
 * A table of any length: only visible rows are rendered and loaded. Arrow keys (and `j`, `k`) move between rows, Enter
 * opens a row, Space selects it.
 */
import { useNavigate } from '@tanstack/react-router'
import { useVirtualizer } from '@tanstack/react-virtual'
import {
  type KeyboardEvent,
  type ReactNode,
  useEffect,
  useMemo,
  useRef,
  useSyncExternalStore,
} from 'react'
import { classes } from './classes.ts'
import { CheckMark } from './field.tsx'
import { ArrowDown, ArrowUp } from './icon.gen.tsx'

export interface ListColumn<T> {
  id: string
  header: string
  cell: (row: T) => ReactNode
  /** A CSS grid track: `6rem`, `minmax(0,1fr)`. */
  width: string
  align?: 'right'
  /** Third on a phone, where a list scrolls sideways. */
  isTime?: boolean
  /** Second on a phone, as a mark without its word. */
  isStatus?: boolean
  /** The column that names a row for screen readers. */
  isRowHeader?: boolean
  /** The list can be sorted by this value. */
  sortBy?: (row: T) => string | number
  /** Absent if the window is narrower than this. */
  from?: keyof typeof FROM_PX
}

/** As Tailwind's breakpoints. */
const FROM_PX = { sm: 640, md: 768, lg: 1024 }

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
  onSeen?: (first: number, last: number) => void
  /** See `sortRows`. */
  sort?: string
  onSort?: (sort: string) => void
  /** Absent: rows cannot be selected. */
  selection?: { keys: ReadonlySet<string>; onChange: (keys: ReadonlySet<string>) => void }
}) {
  const { count, rowAt, keyOf, linkOf, selection, onSeen } = props
  const columns = useShown(props.columns)
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
  useEffect(() => onSeen?.(first, last), [first, last, onSeen])
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
    else if (event.target !== event.currentTarget) return
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
            {columns.map((column) => (
              <Head key={column.id} column={column} sort={props.sort} onSort={props.onSort} />
            ))}
          </div>
        </div>
        <div ref={frame} role="rowgroup" className="relative max-h-[65vh] overflow-y-auto">
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

/** The columns that the window is wide enough for; on a phone the name, the status and the time come first, all in sight. */
function useShown<T>(columns: readonly ListColumn<T>[]): readonly ListColumn<T>[] {
  const width = useSyncExternalStore(onResize, widthNow)
  return useMemo(() => {
    const shown = columns.filter(({ from }) => from === undefined || width >= FROM_PX[from])
    const [first, ...rest] = shown
    if (width > 0 || !first || !rest.some(({ isStatus }) => isStatus)) return shown
    const rank = ({ isStatus, isTime }: ListColumn<T>) => (isStatus ? 0 : isTime ? 1 : 2)
    const later = rest.map((one) => (one.isStatus ? { ...one, width: '3.75rem' } : one))
    return [{ ...first, width: '9rem' }, ...later.toSorted((a, b) => rank(a) - rank(b))]
  }, [columns, width])
}

function onResize(listener: () => void): () => void {
  addEventListener('resize', listener)
  return () => removeEventListener('resize', listener)
}

/** The largest breakpoint that the window reaches; 0: it is as narrow as a phone. */
function widthNow(): number {
  return Math.max(0, ...Object.values(FROM_PX).filter((px) => innerWidth >= px))
}

/**
 * Sorts by the column with this id; with a `-` before it, largest first. Rows with the same value stay in their order,
 * and all of them do if no column has this id.
 */
export function sortRows<T>(
  rows: readonly T[],
  columns: readonly ListColumn<T>[],
  sort: string,
): readonly T[] {
  const by = columns.find(({ id }) => id === sort.replace(/^-/, ''))?.sortBy
  if (!by) return rows
  const sign = sort.startsWith('-') ? -1 : 1
  return rows.toSorted((a, b) => {
    const [one, other] = [by(a), by(b)]
    return sign * (typeof one === 'number' ? one - Number(other) : one.localeCompare(`${other}`))
  })
}

function Head<T>(props: {
  column: ListColumn<T>
  sort: string | undefined
  onSort: ((sort: string) => void) | undefined
}) {
  const { id, header, align, sortBy } = props.column
  const isUp = props.sort === id
  const isDown = props.sort === `-${id}`
  const Arrow = isDown ? ArrowDown : ArrowUp
  return (
    <div
      role="columnheader"
      aria-sort={isUp ? 'ascending' : isDown ? 'descending' : undefined}
      title={header}
      className={classes('truncate px-2 py-2', align === 'right' && 'text-right')}
    >
      {sortBy ? (
        <button
          type="button"
          className="inline-flex max-w-full items-center gap-1 hover:text-ink"
          onClick={() => props.onSort?.(isUp ? `-${id}` : id)}
        >
          <span className="truncate">{header}</span>
          {(isUp || isDown) && <Arrow size={12} aria-hidden="true" className="shrink-0" />}
        </button>
      ) : (
        header
      )}
    </div>
  )
}

/** Rendered once and kept while the list scrolls. */
function Cells<T>({ columns, row }: { columns: readonly ListColumn<T>[]; row: T | undefined }) {
  return useMemo(
    () =>
      columns.map(({ id, cell, align, isRowHeader, isStatus }) => (
        <div
          key={id}
          role={isRowHeader ? 'rowheader' : 'gridcell'}
          data-mark={isStatus || undefined}
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
