/** A log with its controls: histogram, follow or pause, copy. */
import type { LogEntry } from '@runyard/client'
import { type ReactNode, useState } from 'react'
import { Button } from '../../design/button.tsx'
import { Empty } from '../../design/empty.tsx'
import { ErrorNote } from '../../design/error-note.tsx'
import { ArrowDownToLine, Copy, Pause } from '../../design/icon.gen.tsx'
import { Skeleton } from '../../design/skeleton.tsx'
import { toast } from '../../design/toast.tsx'
import { useFollowedLog } from './follow.ts'
import { Histogram, linesText } from './histogram.tsx'
import { LogView } from './log-view.tsx'
import type { LogFilters, LogPlace } from './queries.ts'

export function LogPanel(props: {
  label: string
  place: LogPlace
  filters?: LogFilters
  /** The log has ended. */
  isOver?: boolean
  line?: string | undefined
  onLine: (id: string | undefined) => void
  /** With it there is a histogram, whose bars choose a range. */
  onRange?: (range: { from: string; to: string }) => void
  /** Controls before the buttons, for filters. */
  children?: ReactNode
  empty: string
  className?: string
}) {
  const { filters = {}, onLine } = props
  const [isFollowing, setFollowing] = useState(props.line === undefined)
  const isOver = props.isOver || filters.end_time !== undefined
  const log = useFollowedLog(props.place, filters, {
    isFollowing: isFollowing && !isOver,
    line: props.line,
  })
  const follow = (isWanted: boolean) => {
    if (isWanted) {
      log.leaveLine()
      onLine(undefined)
    }
    setFollowing(isWanted)
  }
  return (
    <div>
      <div className="mb-2 flex flex-wrap items-center gap-2">
        {props.children}
        <div className="ml-auto flex flex-wrap items-center gap-1">
          <span className="mr-2 text-sm text-ink-soft tabular-nums" aria-live="off">
            {linesText(log.entries.length)}
          </span>
          {!filters.end_time && (
            <Button
              size="sm"
              kind={isFollowing ? 'plain' : 'primary'}
              icon={isFollowing ? <Pause size={14} /> : <ArrowDownToLine size={14} />}
              onPress={() => follow(!isFollowing)}
            >
              {isFollowing ? 'Pause' : 'Follow'}
            </Button>
          )}
          <Button
            size="sm"
            kind="quiet"
            icon={<Copy size={14} />}
            onPress={() => void copy(log.entries)}
          >
            Copy
          </Button>
        </div>
      </div>
      {log.error !== undefined && <ErrorNote error={log.error} title="Could not read the log." />}
      {!log.isRead && <Skeleton lines={8} />}
      {log.isRead && log.entries.length === 0 && <Empty title={props.empty} />}
      {log.entries.length > 0 && props.onRange && (
        <Histogram
          entries={log.entries}
          range={filters}
          hasOlder={log.readOlder !== undefined}
          onPick={props.onRange}
        />
      )}
      {log.entries.length > 0 && (
        <LogView
          label={props.label}
          place={props.place}
          entries={log.entries}
          isFollowing={isFollowing}
          onFollow={setFollowing}
          line={props.line}
          onLine={(id) => {
            setFollowing(false)
            onLine(id)
          }}
          readOlder={log.readOlder}
          {...(props.className && { className: props.className })}
        />
      )}
    </div>
  )
}

async function copy(entries: readonly LogEntry[]): Promise<void> {
  const lines = entries.map(({ timestamp, level, message }) => `${timestamp} ${level} ${message}`)
  await navigator.clipboard.writeText(lines.join('\n'))
  toast(`In the clipboard: ${linesText(entries.length)}.`)
}
