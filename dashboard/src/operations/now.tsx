/** The figures an operator needs first. */
import type { ReactNode } from 'react'
import { classes } from '../design/classes.ts'
import { bytesText, countText, durationText } from '../design/text/format.ts'
import { endedRuns, failedRuns } from './figures.ts'
import type { Point } from './queries.ts'

/**
 * `total`: the whole range as one point; `time`: that range in words; `now`: its latest step, absent if nothing runs.
 */
export function Now(props: { total: Point | null; now: Point | null; time: string }) {
  const { total, now, time } = props
  const age = now?.queue_age_seconds ?? 0
  return (
    <dl className="mb-4 grid grid-cols-2 gap-px overflow-hidden rounded-lg border border-line bg-line sm:grid-cols-3 xl:grid-cols-6">
      <Figure {...requestsFigure(total)} time={time} />
      <Figure {...runsFigure(total)} time={time} />
      <Figure {...timesFigure('First output', total?.first_output_seconds)} time={time} />
      <Figure
        name="Waiting"
        time="now"
        value={now ? countText(now.waiting) : '–'}
        isBad={age > 30}
        note={age > 0 ? `the oldest for ${durationText(age * 1_000)}` : 'nothing is late'}
      />
      <Figure
        name="Running"
        time="now"
        value={now ? countText(now.running) : '–'}
        note={`${countText(now?.streams_open ?? 0)} open streams`}
      />
      <Figure
        name="Memory"
        time="now"
        value={now ? bytesText(now.memory_bytes) : '–'}
        note={serversText(now?.servers ?? 0)}
      />
    </dl>
  )
}

export interface FigureTexts {
  name: string
  value: string
  note: ReactNode
  isBad?: boolean
}

/** `time`: the time that the figure is about. */
function Figure({ name, value, note, isBad, time }: FigureTexts & { time: string }) {
  return (
    <div className="bg-surface px-4 py-3">
      <dt className="text-sm text-ink-soft">
        {name} <span className="text-ink-faint">{time}</span>
      </dt>
      <dd className="text-xl font-semibold tabular-nums">{value}</dd>
      <dd className={classes('text-sm', isBad ? 'text-bad' : 'text-ink-faint')}>{note}</dd>
    </div>
  )
}

export function requestsFigure(total: Point | null): FigureTexts {
  const { requests = 0, errors = 0 } = total ?? {}
  const note = shareText(errors, requests, errors === 1 ? 'error' : 'errors')
  return { name: 'Requests', value: countText(requests), note, isBad: errors > 0 }
}

export function runsFigure(total: Point | null): FigureTexts {
  const runs = total ? endedRuns(total) : 0
  const failed = total ? failedRuns(total) : 0
  const note = shareText(failed, runs, 'failed')
  return { name: 'Runs', value: countText(runs), note, isBad: failed > 0 }
}

export function timesFigure(name: string, times: Point['duration_seconds'] = null): FigureTexts {
  const note = times ? `p50 ${timeText(times.p50)}` : 'none in this time'
  return { name: `${name} p95`, value: timeText(times?.p95), note }
}

function shareText(some: number, all: number, word: string): string {
  if (some === 0) return word === 'failed' ? 'none failed' : `no ${word}`
  const share = (100 * some) / Math.max(all, 1)
  return `${countText(some)} ${word}, ${share < 1 ? share.toFixed(1) : Math.round(share)} %`
}

function timeText(seconds: number | undefined): string {
  return seconds === undefined ? '–' : durationText(seconds * 1_000)
}

function serversText(count: number): string {
  return `${count} ${count === 1 ? 'server' : 'servers'}`
}
