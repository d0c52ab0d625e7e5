import { classes } from '../../design/classes.ts'
import { GitBranch } from '../../design/icon.gen.tsx'
import { Mark, type Tone } from '../../design/status.tsx'
import { Elapsed, Time } from '../../design/text/time.tsx'
import type { HistoryRow } from './history-page.ts'
import { stepName } from './step-name.ts'

/** A row's place in the list, for screen readers. */
interface Place {
  id: string
  position: number
  count: number
}

/** One checkpoint of a history, in one line of fixed height. */
export function CheckpointRow(props: {
  row: HistoryRow
  parent: HistoryRow | undefined
  place: Place
  /** The number of other branches that fork here. */
  forks: number
  isSelected: boolean
  /** The newest of its branch: its interrupts are still open. */
  isTip: boolean
  /** The run in progress is at this checkpoint. */
  isLive: boolean
  hasFailed: boolean
  onSelect: () => void
}) {
  const { row, parent, place, forks, isSelected, onSelect } = props
  const name = stepName(row, parent)
  const { tone, word } = markOf(props)
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list handles the keys
    <div
      id={place.id}
      role="option"
      tabIndex={-1}
      aria-selected={isSelected}
      aria-posinset={place.position}
      aria-setsize={place.count}
      onClick={onSelect}
      className={classes(
        'flex h-8 cursor-default items-center gap-2 px-3 text-sm',
        isSelected ? 'bg-accent-soft' : 'hover:bg-hover',
      )}
    >
      <span className="flex w-3 shrink-0 justify-center">
        {tone ? (
          <>
            <Mark tone={tone} />
            <span className="sr-only">{word}</span>
          </>
        ) : (
          <span
            aria-hidden="true"
            className={classes(
              'size-1.5 rounded-full',
              isSelected ? 'bg-accent' : 'bg-line-strong',
            )}
          />
        )}
      </span>
      <span className="w-7 shrink-0 text-right text-xs text-ink-soft tabular-nums">
        <span className="sr-only">Step </span>
        {row.step}
      </span>
      <span
        className={classes(
          'min-w-0 truncate',
          name.isNodes && 'font-mono',
          isSelected && 'font-medium',
        )}
      >
        {name.text}
      </span>
      {tone && tone !== 'live' && row.next.length > 0 && (
        <span className="min-w-0 truncate text-ink-soft">
          <span aria-hidden="true">→ </span>
          <span className="sr-only">then </span>
          <span className="font-mono">{row.next.join(', ')}</span>
        </span>
      )}
      {forks > 0 && (
        <span className="flex shrink-0 items-center gap-0.5 text-xs text-ink-soft">
          <GitBranch size={12} aria-hidden="true" />
          <span aria-hidden="true">{forks}</span>
          <span className="sr-only">{forks} branches go off here</span>
        </span>
      )}
      <span className="ml-auto flex shrink-0 gap-3 pl-2 text-xs text-ink-soft tabular-nums">
        {tookMs(row, parent) !== undefined && <Elapsed ms={tookMs(row, parent) ?? 0} />}
        {row.createdAt && (
          <span className="min-w-18 text-right">
            <Time at={row.createdAt} />
          </span>
        )}
      </span>
    </div>
  )
}

function markOf(props: { row: HistoryRow; isTip: boolean; isLive: boolean; hasFailed: boolean }): {
  tone?: Tone
  word?: string
} {
  if (props.isLive) return { tone: 'live', word: 'Running' }
  if (props.hasFailed) return { tone: 'bad', word: 'Failed' }
  if (props.isTip && props.row.interrupts.length > 0)
    return { tone: 'wait', word: 'Waiting for an answer' }
  return {}
}

/** How long its nodes took. Between two runs the thread waited for a user, so such a step has no duration. */
function tookMs(row: HistoryRow, parent: HistoryRow | undefined): number | undefined {
  if (row.source !== 'loop' || !row.createdAt || !parent?.createdAt) return undefined
  if (row.runId !== parent.runId) return undefined
  return Math.max(0, Date.parse(row.createdAt) - Date.parse(parent.createdAt))
}
