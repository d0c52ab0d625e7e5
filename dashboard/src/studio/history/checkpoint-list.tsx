/** The checkpoints of one branch, newest first. Only visible ones are rendered. */
import { useVirtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, useEffect, useId, useMemo, useRef } from 'react'
import { CheckpointRow } from './checkpoint-row.tsx'
import type { HistoryRow } from './history-page.ts'

const ROW_PX = 32

/** Older ones are loaded when only this many rows are left below. */
const AHEAD = 10

interface ListProps {
  /** Newest first. */
  path: readonly HistoryRow[]
  /** The number of children of each checkpoint. */
  childrenOf: ReadonlyMap<string, number>
  selected: string | undefined
  onSelect: (row: HistoryRow) => void
  liveId: string | undefined
  failedId: string | undefined
  hasOlder: boolean
  loadOlder: () => void
}

export function CheckpointList(props: ListProps) {
  const { path, selected, onSelect, hasOlder, loadOlder } = props
  const id = useId()
  const ref = useRef<HTMLDivElement>(null)
  const virtual = useVirtualizer({
    count: path.length,
    getScrollElement: () => ref.current,
    estimateSize: () => ROW_PX,
    overscan: 8,
  })
  const byId = useMemo(() => new Map(path.map((row) => [row.id, row])), [path])
  const at = path.findIndex((row) => row.id === selected)
  const items = virtual.getVirtualItems()
  const isNearEnd = (items.at(-1)?.index ?? 0) >= path.length - AHEAD
  useEffect(() => {
    if (hasOlder && isNearEnd) loadOlder()
  }, [hasOlder, isNearEnd, loadOlder])
  useEffect(() => {
    if (at >= 0) virtual.scrollToIndex(at)
  }, [at, virtual])

  const move = (event: KeyboardEvent) => {
    const to = targetOf(event.key, at, path.length)
    const row = to === undefined ? undefined : path[to]
    if (!row || event.metaKey || event.ctrlKey || event.altKey) return
    event.preventDefault()
    onSelect(row)
  }
  return (
    <div
      ref={ref}
      role="listbox"
      tabIndex={0}
      aria-label="Checkpoints"
      aria-activedescendant={at >= 0 ? `${id}-${at}` : undefined}
      onKeyDown={move}
      className="min-h-0 flex-1 overflow-y-auto overscroll-contain -outline-offset-2"
    >
      <div role="presentation" className="relative" style={{ height: virtual.getTotalSize() }}>
        {items.map(({ index, start }) => {
          const row = path[index]
          if (!row) return null
          return (
            <div
              key={row.id}
              role="presentation"
              className="absolute inset-x-0 top-0"
              style={{ transform: `translateY(${start}px)` }}
            >
              <CheckpointRow
                row={row}
                parent={row.parentId === undefined ? undefined : byId.get(row.parentId)}
                place={{ id: `${id}-${index}`, position: index + 1, count: path.length }}
                forks={Math.max(0, (props.childrenOf.get(row.id) ?? 0) - 1)}
                isSelected={row.id === selected}
                isTip={index === 0}
                isLive={row.id === props.liveId}
                hasFailed={row.id === props.failedId}
                onSelect={() => onSelect(row)}
              />
            </div>
          )
        })}
      </div>
    </div>
  )
}

/** The list goes from newest at the top to oldest. */
function targetOf(key: string, at: number, count: number): number | undefined {
  const to: Record<string, number> = {
    ArrowDown: at + 1,
    j: at + 1,
    ArrowUp: at - 1,
    k: at - 1,
    PageDown: Math.min(at + 10, count - 1),
    PageUp: Math.max(at - 10, 0),
    Home: 0,
    End: count - 1,
  }
  return to[key]
}
