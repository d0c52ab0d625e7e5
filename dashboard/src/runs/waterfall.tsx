/** A run's time as bars. Arrow keys (and `j`, `k`) move between bars, Enter opens one. */
import type { TimelineCheckpoint as Checkpoint, Timeline } from '@runyard/client'
import { Link } from '@tanstack/react-router'
import { type KeyboardEvent, useMemo, useRef } from 'react'
import type { AgentServer } from '../api/agent-server.tsx'
import { classes } from '../design/classes.ts'
import { durationText } from '../design/text/format.ts'
import { useNow } from '../design/text/time.tsx'
import { isBroken, rowsOf, type WaterfallRow, windowOf } from './waterfall-rows.ts'
import { attemptWords, spanWords } from './words.ts'

interface Scale {
  from: number
  to: number
}

const STEPS: Record<string, number> = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }

/** On narrower screens a bar is below its name. */
const COLUMNS = 'sm:grid sm:grid-cols-[minmax(11rem,17rem)_minmax(0,1fr)_5rem] sm:gap-x-3'

export function Waterfall(props: {
  server: AgentServer
  timeline: Timeline
  /** The id of the open row. */
  chosen: string | undefined
  onChoose: (id: string | undefined) => void
}) {
  const { timeline, chosen } = props
  const frame = useRef<HTMLDivElement>(null)
  const now = useNow(timeline.ended_at === null ? 250 : 0)
  const rows = useMemo(() => rowsOf(timeline), [timeline])
  const scale = windowOf(timeline, now)
  const breaks = timeline.attempts.filter(({ outcome }) => isBroken(outcome))
  const focused = Math.max(
    0,
    rows.findIndex(({ id }) => id === chosen),
  )
  const press = (event: KeyboardEvent<HTMLElement>, index: number, id: string) => {
    const step = STEPS[event.key] ?? 0
    const next = frame.current?.querySelectorAll<HTMLElement>('[role=option]')[index + step]
    if (step !== 0) next?.focus()
    else if (event.key === 'Enter' || event.key === ' ') props.onChoose(id)
    else if (event.key === 'Escape') props.onChoose(undefined)
    else return
    event.preventDefault()
  }
  return (
    <div className="rounded-lg border border-line bg-surface">
      <Axis scale={scale} />
      <div ref={frame} role="listbox" aria-label="Where the time went" className="py-1">
        {rows.map((row, index) => (
          <div
            key={row.id}
            role="option"
            tabIndex={index === focused ? 0 : -1}
            aria-selected={row.id === chosen}
            onClick={() => props.onChoose(row.id === chosen ? undefined : row.id)}
            onKeyDown={(event) => press(event, index, row.id)}
            className={classes(
              'cursor-pointer items-center px-3 py-0.5 outline-offset-[-2px] hover:bg-hover',
              COLUMNS,
              row.id === chosen && 'bg-accent-soft',
            )}
          >
            <Name row={row} />
            <Lane row={row} scale={scale} breaks={breaks.map(({ token }) => endOf(rows, token))} />
            <span className="text-right text-sm text-ink-soft tabular-nums max-sm:sr-only">
              {durationText((row.to ?? scale.to) - row.from)}
            </span>
          </div>
        ))}
      </div>
      <Ticks server={props.server} timeline={timeline} scale={scale} />
    </div>
  )
}

function endOf(rows: readonly WaterfallRow[], token: number): number | null {
  return rows.find((row) => row.kind === 'attempt' && row.attempt.token === token)?.to ?? null
}

function Name({ row }: { row: WaterfallRow }) {
  return (
    <span
      className="flex min-w-0 items-baseline gap-1.5 truncate text-sm"
      style={{ paddingLeft: row.depth * 14 }}
    >
      <span className={classes('truncate', row.kind === 'span' ? 'font-mono' : 'font-medium')}>
        {row.label}
      </span>
      <span className={classes('shrink-0 text-xs', isBad(row) ? 'text-bad' : 'text-ink-soft')}>
        {noteOf(row)}
      </span>
    </span>
  )
}

const BARS = {
  queue: 'bg-series-5/40',
  attempt: 'bg-series-5',
  node: 'bg-series-1',
  model: 'bg-series-2',
  tool: 'bg-series-3',
} as const

function Lane(props: { row: WaterfallRow; scale: Scale; breaks: (number | null)[] }) {
  const { row, scale, breaks } = props
  const kind = row.kind === 'span' ? row.span.kind : row.kind
  const from = shareOf(scale, row.from)
  const width = shareOf(scale, row.to ?? scale.to) - from
  const isLeft = row.kind === 'span' && row.span.status === 'left'
  const first = row.kind === 'span' ? row.span.first_token_at : undefined
  return (
    <span className="relative block h-5 overflow-hidden" aria-hidden="true">
      {breaks.map(
        (at) =>
          at !== null && (
            <span
              key={at}
              className="absolute inset-y-0 border-l border-dashed border-bad"
              style={{ left: percent(shareOf(scale, at)) }}
            />
          ),
      )}
      <span
        className={classes(
          'absolute top-1 h-3 min-w-0.5 rounded-sm',
          isBad(row) ? 'bg-bad' : BARS[kind],
          isLeft && 'opacity-50',
          row.kind === 'attempt' && 'top-2 h-1',
          row.to === null && 'animate-pulse',
        )}
        style={{ left: percent(from), width: percent(Math.max(width, 0.002)) }}
      />
      {first !== undefined && (
        <span
          title="First token"
          className="absolute top-0.5 h-4 border-l-2 border-ink"
          style={{ left: percent(shareOf(scale, first)) }}
        />
      )}
    </span>
  )
}

/** The thread's checkpoints: each mark links to the Studio at that checkpoint. */
function Ticks(props: { server: AgentServer; timeline: Timeline; scale: Scale }) {
  const { server, timeline, scale } = props
  const known = timeline.checkpoints.filter(
    (one): one is Checkpoint & { created_at: number } =>
      one.created_at !== null && one.checkpoint_ns === '',
  )
  if (known.length === 0) return null
  return (
    <div className={classes('items-center border-t border-line px-3 py-1', COLUMNS)}>
      <span className="text-sm font-medium">
        Checkpoints <span className="text-xs font-normal text-ink-faint">{known.length}</span>
      </span>
      <span className="relative block h-5">
        {known.map(({ checkpoint_id, created_at, step }) => (
          <Link
            key={checkpoint_id}
            to={server.pages.studio(timeline.assistant_id, {
              thread: timeline.thread_id,
              checkpoint: checkpoint_id,
            })}
            title={`Step ${step ?? '?'}: open in the Studio`}
            aria-label={`Open the checkpoint of step ${step ?? '?'} in the Studio`}
            className="absolute top-0 -ml-1.5 flex h-5 w-3 justify-center hover:bg-hover"
            style={{ left: percent(shareOf(scale, created_at)) }}
          >
            <span className="h-5 border-l-2 border-accent" />
          </Link>
        ))}
      </span>
    </div>
  )
}

const MARKS = [0, 0.25, 0.5, 0.75, 1]

function Axis({ scale }: { scale: Scale }) {
  return (
    <div className={classes('border-b border-line px-3 py-1 text-xs text-ink-faint', COLUMNS)}>
      <span className="max-sm:hidden" />
      <span className="relative block h-4" aria-hidden="true">
        {MARKS.map((share) => (
          <span
            key={share}
            className={classes(
              'absolute whitespace-nowrap tabular-nums',
              share === 1 ? '-translate-x-full' : share > 0 && '-translate-x-1/2',
            )}
            style={{ left: percent(share) }}
          >
            {durationText((scale.to - scale.from) * share)}
          </span>
        ))}
      </span>
    </div>
  )
}

function noteOf(row: WaterfallRow): string {
  switch (row.kind) {
    case 'queue':
      return ''
    case 'attempt':
      return attemptWords(row.attempt)
    case 'span':
      return spanWords(row.span)
  }
}

function isBad(row: WaterfallRow): boolean {
  if (row.kind === 'span') return row.span.status === 'error'
  return row.kind === 'attempt' && ['lost', 'error', 'timeout'].includes(row.attempt.outcome)
}

function shareOf({ from, to }: Scale, at: number): number {
  return Math.min(1, Math.max(0, (at - from) / Math.max(to - from, 1)))
}

function percent(share: number): string {
  return `${share * 100}%`
}
