/** A log with its controls: follow or pause, wrap, times, copy. */
import type { LogEntry } from '@runyard/client'
import { ArrowDownToLine, Clock, Copy, Pause, WrapText } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Button } from '../../design/button.tsx'
import { Empty } from '../../design/empty.tsx'
import { ErrorNote } from '../../design/error-note.tsx'
import { Skeleton } from '../../design/skeleton.tsx'
import { countText } from '../../design/text/format.ts'
import { toast } from '../../design/toast.tsx'
import { ToggleButton } from '../../design/toggle-button.tsx'
import { useFollowedLog } from './follow.ts'
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
  /** Controls before the buttons, for filters. */
  children?: ReactNode
  empty: string
  className?: string
}) {
  const [isFollowing, setFollowing] = useState(props.line === undefined)
  const [isWrapped, setWrapped] = useState(true)
  const [hasTimes, setTimes] = useState(true)
  const log = useFollowedLog(props.place, props.filters ?? {}, {
    isFollowing: isFollowing && !props.isOver,
    line: props.line,
  })
  const follow = (isWanted: boolean) => {
    if (isWanted) props.onLine(undefined)
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
          <Button
            size="sm"
            kind={isFollowing ? 'plain' : 'primary'}
            icon={isFollowing ? <Pause size={14} /> : <ArrowDownToLine size={14} />}
            onPress={() => follow(!isFollowing)}
          >
            {isFollowing ? 'Pause' : 'Follow'}
          </Button>
          <ToggleButton
            label="Wrap long lines"
            icon={<WrapText size={14} />}
            isSelected={isWrapped}
            onChange={setWrapped}
          />
          <ToggleButton
            label="Show times"
            icon={<Clock size={14} />}
            isSelected={hasTimes}
            onChange={setTimes}
          />
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
      {log.entries.length > 0 && (
        <LogView
          label={props.label}
          entries={log.entries}
          isWrapped={isWrapped}
          isTimeHidden={!hasTimes}
          isFollowing={isFollowing}
          onFollow={setFollowing}
          line={props.line}
          onLine={(id) => {
            setFollowing(false)
            props.onLine(id)
          }}
          readOlder={log.readOlder}
          {...(props.className && { className: props.className })}
        />
      )}
    </div>
  )
}

function linesText(count: number): string {
  return count === 1 ? '1 line' : `${countText(count)} lines`
}

async function copy(entries: readonly LogEntry[]): Promise<void> {
  const lines = entries.map(({ timestamp, level, message }) => `${timestamp} ${level} ${message}`)
  await navigator.clipboard.writeText(lines.join('\n'))
  toast(`In the clipboard: ${linesText(entries.length)}.`)
}
