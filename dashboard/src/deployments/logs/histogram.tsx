/** How many lines a log has over its range, by level; a bar narrows the range to its time. */
import type { LogEntry } from '@runyard/client'
import { useMemo } from 'react'
import { countText } from '../../design/text/format.ts'
import { useNow } from '../../design/text/time.tsx'
import type { LogFilters } from './queries.ts'
import { type Bucket, bucketsOf } from './range.ts'

/** Takes at least one entry. */
export function Histogram(props: {
  entries: readonly LogEntry[]
  range: LogFilters
  /** Whether there are older lines in the range that are not loaded. */
  hasOlder: boolean
  onPick: (range: { from: string; to: string }) => void
}) {
  const { entries, range } = props
  const now = useNow(range.start_time ? 10_000 : 0)
  const first = Date.parse(entries[0]?.timestamp ?? '')
  const last = Date.parse(entries.at(-1)?.timestamp ?? '')
  const from = range.start_time ? Date.parse(range.start_time) : first
  const latest = range.start_time ? Math.max(now, last) : last
  const to = range.end_time ? Date.parse(range.end_time) : latest
  const buckets = useMemo(() => bucketsOf(entries, from, Math.max(from, to)), [entries, from, to])
  const highest = Math.max(1, ...buckets.map(countOf))
  if (buckets.length < 2) return null
  return (
    <figure aria-label="Lines over time" className="mb-2">
      <div className="flex h-14 items-stretch gap-px border-b border-line">
        {buckets.map((bucket) => (
          <Bar
            key={bucket.from}
            bucket={bucket}
            highest={highest}
            isLoaded={!props.hasOlder || bucket.to > first}
            onPick={props.onPick}
          />
        ))}
      </div>
      <figcaption className="flex justify-between gap-3 pt-1 text-xs text-ink-faint tabular-nums">
        <span>{moment.format(from)}</span>
        {props.hasOlder && <span>{`Of the newest ${countText(entries.length)} lines`}</span>}
        <span>{moment.format(to)}</span>
      </figcaption>
    </figure>
  )
}

function Bar(props: {
  bucket: Bucket
  highest: number
  isLoaded: boolean
  onPick: (range: { from: string; to: string }) => void
}) {
  const { bucket, highest, isLoaded } = props
  if (isLoaded && countOf(bucket) === 0) return <div className="flex-1" />
  const text = isLoaded ? barText(bucket) : `${moment.format(bucket.from)}: not loaded`
  const [from, to] = [bucket.from, bucket.to - 1].map((ms) => new Date(ms).toISOString())
  return (
    <button
      type="button"
      aria-label={text}
      title={text}
      onClick={() => from && to && props.onPick({ from, to })}
      className={`flex min-w-0 flex-1 flex-col justify-end hover:bg-hover ${isLoaded ? '' : 'bg-off-soft'}`}
    >
      {(['errors', 'warnings', 'others'] as const).map((name) => (
        <span
          key={name}
          className={`block ${COLORS[name]}`}
          style={{ height: `${(100 * bucket[name]) / highest}%` }}
        />
      ))}
    </button>
  )
}

const COLORS = { errors: 'bg-bad', warnings: 'bg-wait', others: 'bg-series-5' }

function countOf({ errors, warnings, others }: Bucket): number {
  return errors + warnings + others
}

/** `27 Nov, 12:00:00: 34 lines, errors: 2`. */
function barText(bucket: Bucket): string {
  const { errors, warnings } = bucket
  const counts = [errors > 0 && `errors: ${errors}`, warnings > 0 && `warnings: ${warnings}`]
  const text = `${moment.format(bucket.from)}: ${linesText(countOf(bucket))}`
  return [text, ...counts].filter(Boolean).join(', ')
}

export function linesText(count: number): string {
  return count === 1 ? '1 line' : `${countText(count)} lines`
}

const moment = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' })
