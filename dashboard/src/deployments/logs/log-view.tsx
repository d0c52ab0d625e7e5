/** The lines of a log; only the visible ones are rendered. */
import type { LogEntry } from '@runyard/client'
import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useRef, useState } from 'react'
import { Button } from '../../design/button.tsx'
import { classes } from '../../design/classes.ts'
import { LogLine } from './log-lines.tsx'
import type { LogPlace } from './queries.ts'

const LINE_PX = 22

export function LogView(props: {
  label: string
  entries: readonly LogEntry[]
  place: LogPlace
  /** Whether the view stays at the end. */
  isFollowing: boolean
  /** Called when the user scrolls away from the end, or back to it. */
  onFollow: (isFollowing: boolean) => void
  /** The open entry, which the address names. */
  line?: string | undefined
  onLine: (id: string | undefined) => void
  readOlder?: (() => Promise<void>) | undefined
  className?: string
}) {
  const { entries, isFollowing, line } = props
  const box = useRef<HTMLElement>(null)
  const rows = useVirtualizer({
    count: entries.length,
    getScrollElement: () => box.current,
    estimateSize: () => LINE_PX,
    overscan: 20,
    getItemKey: (index) => entries[index]?.id ?? index,
  })
  useEffect(() => {
    if (isFollowing && entries.length > 0) rows.scrollToIndex(entries.length - 1, { align: 'end' })
  }, [isFollowing, entries.length, rows])
  const [linked] = useState(line)
  const place = entries.findIndex(({ id }) => id === linked)
  const isThere = place >= 0
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once, when the line of the address is loaded
  useEffect(() => {
    if (isThere) rows.scrollToIndex(place, { align: 'center' })
  }, [isThere])
  const noteScroll = () => {
    const element = box.current
    if (!element) return
    const fromEnd = element.scrollHeight - element.scrollTop - element.clientHeight
    if (isFollowing && fromEnd > 4 * LINE_PX) props.onFollow(false)
  }
  return (
    <section
      ref={box}
      aria-label={props.label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by keyboard
      tabIndex={0}
      onWheel={noteScroll}
      onKeyUp={noteScroll}
      onTouchMove={noteScroll}
      className={classes(
        'overflow-auto rounded-md border border-line bg-sunken py-2',
        props.className ?? 'max-h-120',
      )}
    >
      {props.readOlder && (
        <div className="px-3 pb-2">
          <Button size="sm" kind="quiet" onPress={() => void props.readOlder?.()}>
            Older lines
          </Button>
        </div>
      )}
      <div className="relative w-full" style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map((row) => {
          const entry = entries[row.index]
          if (!entry) return null
          return (
            <div
              key={row.key}
              ref={rows.measureElement}
              data-index={row.index}
              className="absolute top-0 left-0 w-full"
              style={{ transform: `translateY(${row.start}px)` }}
            >
              <LogLine
                entry={entry}
                isWrapped={props.place.kind === 'build'}
                deployment_id={props.place.deployment_id}
                isOpen={entry.id === line}
                onOpen={() => props.onLine(entry.id === line ? undefined : entry.id)}
              />
            </div>
          )
        })}
      </div>
    </section>
  )
}
