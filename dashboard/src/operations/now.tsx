/** The figures an operator needs first. */
import type { ReactNode } from 'react'
import { classes } from '../design/classes.ts'
import { bytesText, countText, durationText } from '../design/text/format.ts'
import { endedRuns, failedRuns } from './charts.tsx'
import type { Point } from './queries.ts'

/** `total`: the whole range as one point; `now`: its latest step, absent if nothing runs. */
export function Now({ total, now }: { total: Point | null; now: Point | null }) {
  const requests = total?.requests ?? 0
  const runs = total ? endedRuns(total) : 0
  const failed = total ? failedRuns(total) : 0
  const age = now?.queue_age_seconds ?? 0
  return (
    <dl className="mb-4 grid grid-cols-2 gap-px overflow-hidden rounded-lg border border-line bg-line sm:grid-cols-3 xl:grid-cols-6">
      <Figure name="Requests" value={countText(requests)} isBad={(total?.errors ?? 0) > 0}>
        {shareText(total?.errors ?? 0, requests, 'errors')}
      </Figure>
      <Figure name="Runs" value={countText(runs)} isBad={failed > 0}>
        {shareText(failed, runs, 'failed')}
      </Figure>
      <Figure name="First output p95" value={timeText(total?.first_output_seconds?.p95)}>
        p50 {timeText(total?.first_output_seconds?.p50)}
      </Figure>
      <Figure name="Waiting now" value={now ? countText(now.waiting) : '–'} isBad={age > 30}>
        {age > 0 ? `the oldest for ${durationText(age * 1_000)}` : 'nothing is late'}
      </Figure>
      <Figure name="Running now" value={now ? countText(now.running) : '–'}>
        {countText(now?.streams_open ?? 0)} open streams
      </Figure>
      <Figure name="Memory now" value={now ? bytesText(now.memory_bytes) : '–'}>
        {serversText(now?.servers ?? 0)}
      </Figure>
    </dl>
  )
}

function Figure(props: { name: string; value: string; isBad?: boolean; children: ReactNode }) {
  return (
    <div className="bg-surface px-4 py-3">
      <dt className="text-sm text-ink-soft">{props.name}</dt>
      <dd className="text-xl font-semibold tabular-nums">{props.value}</dd>
      <dd className={classes('text-sm', props.isBad ? 'text-bad' : 'text-ink-faint')}>
        {props.children}
      </dd>
    </div>
  )
}

function shareText(some: number, all: number, word: string): string {
  if (some === 0) return `no ${word}`.replace('no failed', 'none failed')
  const share = (100 * some) / Math.max(all, 1)
  return `${countText(some)} ${word}, ${share < 1 ? share.toFixed(1) : Math.round(share)} %`
}

function timeText(seconds: number | undefined): string {
  return seconds === undefined ? '–' : durationText(seconds * 1_000)
}

function serversText(count: number): string {
  return `${count} ${count === 1 ? 'server' : 'servers'}`
}
