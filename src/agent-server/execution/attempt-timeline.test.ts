import { expect, it } from 'vitest'
import { TIMELINE_LIMITS, type TimelineSpan } from '../../core/agent/timeline/timeline.ts'
import { silentLog } from '../../core/log.ts'
import { AttemptTimeline } from './attempt-timeline.ts'

const text = 'x'.repeat(TIMELINE_LIMITS.chars)

/** One that has ended, with as many texts as it may have. */
const aSpan = (index: number): TimelineSpan => ({
  ...{ span_id: `${index}`, kind: 'tool', name: 'look', namespace: [], step: null },
  ...{ started_at: 0, ended_at: 1, status: 'error', input: text, interrupts: text },
  error: { error: 'Error', message: `failed ${index}`, stack: text },
})

it('keeps no more of all texts together than is told, stacks and interrupts among them', async () => {
  const parts = { store: {}, revisionId: undefined, clock: { now: () => 0 }, log: silentLog }
  const claimed = { run: { attempt: 1 }, lease: { token: 1, server_id: 'server' } }
  const timeline = new AttemptTimeline(parts as never, claimed as never)
  timeline.onSpans(Array.from({ length: 500 }, (_, index) => aSpan(index)))
  const { spans = [] } = (await timeline.close('error')) ?? {}
  expect(spans).toHaveLength(500)
  expect(spans[0]).toEqual(aSpan(0))
  expect(spans.at(-1)?.error).toEqual({ error: 'Error', message: 'failed 499' })
  const chars = JSON.stringify(spans).length
  expect(chars).toBeLessThan(TIMELINE_LIMITS.totalChars + 500 * 400)
})
