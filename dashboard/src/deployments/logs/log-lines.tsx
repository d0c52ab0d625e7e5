import type { LogEntry } from '@runyard/client'
import { classes } from '../../design/classes.ts'
import { exactText } from '../../design/text/format.ts'

const INK: Record<LogEntry['level'], string> = {
  DEBUG: 'text-ink-faint',
  INFO: '',
  WARNING: 'text-wait',
  ERROR: 'text-bad',
  CRITICAL: 'text-bad font-semibold',
}

/** A few lines of a log, without following it. */
export function LogLines({ entries, label }: { entries: readonly LogEntry[]; label: string }) {
  return (
    <section
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by keyboard
      tabIndex={0}
      aria-label={label}
      className="max-h-80 overflow-auto rounded-md border border-line bg-sunken py-2"
    >
      {entries.map((entry) => (
        <LogLine key={entry.id} entry={entry} isWrapped />
      ))}
    </section>
  )
}

/** One line: its time, its level unless it is the usual one, and its message. */
export function LogLine(props: {
  entry: LogEntry
  isWrapped: boolean
  isTimeHidden?: boolean
  isMarked?: boolean
  /** Puts the line into the address. */
  onPick?: () => void
}) {
  const { level, timestamp, message, source } = props.entry
  return (
    <div
      className={classes(
        'flex items-start gap-3 px-3 font-mono text-sm',
        props.isMarked ? 'bg-accent-soft' : 'hover:bg-hover',
        level === 'ERROR' || level === 'CRITICAL' ? 'bg-bad-soft' : undefined,
      )}
    >
      {!props.isTimeHidden && <LineTime timestamp={timestamp} onPick={props.onPick} />}
      {source === 'project' && (
        <span className="shrink-0 text-ink-faint select-none" title="Printed by the project">
          |
        </span>
      )}
      <span
        className={classes(
          INK[level],
          props.isWrapped ? 'min-w-0 wrap-anywhere whitespace-pre-wrap' : 'whitespace-pre',
        )}
      >
        {level !== 'INFO' && <span className="mr-2 font-semibold">{level}</span>}
        {message || ' '}
      </span>
    </div>
  )
}

function LineTime({ timestamp, onPick }: { timestamp: string; onPick?: (() => void) | undefined }) {
  const looks = 'shrink-0 text-ink-faint select-none max-sm:hidden'
  const time = (
    <time dateTime={timestamp} title={exactText(Date.parse(timestamp))}>
      {clockText(timestamp)}
    </time>
  )
  if (!onPick) return <span className={looks}>{time}</span>
  return (
    <button type="button" tabIndex={-1} onClick={onPick} className={`${looks} hover:text-accent`}>
      {time}
    </button>
  )
}

const clock = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' })

function clockText(timestamp: string): string {
  return `${clock.format(new Date(timestamp))}.${timestamp.slice(20, 23)}`
}
