/**
 * A table with real columns: arrow keys (and `j`, `k`) move between rows, Enter opens a row, and rows can be
 * selected if `selection` is given.
 */
import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import {
  Checkbox as AriaCheckbox,
  Column as AriaColumn,
  Table as AriaTable,
  Cell,
  Row,
  type Selection,
  TableBody,
  TableHeader,
} from 'react-aria-components'
import { classes } from './classes.ts'
import { CheckMark } from './field.tsx'

export interface Column<T> {
  id: string
  header: string
  cell: (row: T) => ReactNode
  /** For numbers. */
  align?: 'right'
  /** The column that names a row for screen readers; each table has one. */
  isRowHeader?: boolean
  /** Hidden if the window is narrower than this. */
  from?: 'sm' | 'md' | 'lg'
  /** Takes the remaining width and truncates longer text. */
  isWide?: boolean
}

export interface RowSelection {
  keys: Selection
  onChange: (keys: Selection) => void
}

const FROM = { sm: 'max-sm:hidden', md: 'max-md:hidden', lg: 'max-lg:hidden' }

export function Table<T extends object>(props: {
  label: string
  columns: readonly Column<T>[]
  rows: readonly T[]
  keyOf: (row: T) => string
  /** The page that a row links to. */
  linkOf?: (row: T) => string
  /** The action of a row without a page of its own. */
  onOpen?: (row: T) => void
  selection?: RowSelection
  /** Shown instead of rows. */
  empty?: ReactNode
}) {
  const { columns, rows, keyOf, linkOf, onOpen, selection } = props
  const navigate = useNavigate()
  if (rows.length === 0 && props.empty) return props.empty
  return (
    // Keeps absolutely placed text (for screen readers) within the visible part of the table.
    <div className="relative overflow-x-auto rounded-lg border border-line bg-surface">
      <AriaTable
        aria-label={props.label}
        className="w-full border-collapse text-left"
        {...(selection && {
          selectionMode: 'multiple' as const,
          selectedKeys: selection.keys,
          onSelectionChange: selection.onChange,
        })}
        {...((linkOf || onOpen) && {
          onRowAction: (key) => {
            const row = rows.find((one) => keyOf(one) === key)
            if (row && linkOf) void navigate({ to: linkOf(row) })
            else if (row) onOpen?.(row)
          },
        })}
      >
        <TableHeader className="border-b border-line text-sm text-ink-soft">
          {selection && (
            <AriaColumn className="w-10 px-3">
              <span className="sr-only">Chosen</span>
              <SelectBox />
            </AriaColumn>
          )}
          {columns.map((column) => (
            <AriaColumn
              key={column.id}
              id={column.id}
              isRowHeader={column.isRowHeader ?? false}
              className={classes(cellClasses(column), 'font-medium whitespace-nowrap')}
            >
              {column.header}
            </AriaColumn>
          ))}
        </TableHeader>
        <TableBody>
          {rows.map((row) => (
            <Row
              key={keyOf(row)}
              id={keyOf(row)}
              className={classes(
                'border-b border-line last:border-0 hover:bg-hover data-focus-visible:outline-2 data-focus-visible:-outline-offset-2 data-focus-visible:outline-accent data-selected:bg-accent-soft',
                (linkOf || onOpen) && 'cursor-pointer',
              )}
            >
              {selection && (
                <Cell className="px-3">
                  <SelectBox />
                </Cell>
              )}
              {columns.map((column) => (
                <Cell key={column.id} className={cellClasses(column)}>
                  {column.cell(row)}
                </Cell>
              ))}
            </Row>
          ))}
        </TableBody>
      </AriaTable>
    </div>
  )
}

function SelectBox() {
  return (
    <AriaCheckbox slot="selection" className="group flex">
      <CheckMark />
    </AriaCheckbox>
  )
}

function cellClasses<T>({ align, from, isWide }: Column<T>): string {
  return classes(
    'px-3 py-2 align-middle',
    align === 'right' && 'text-right tabular-nums',
    from && FROM[from],
    isWide && 'w-full max-w-0 truncate',
  )
}
