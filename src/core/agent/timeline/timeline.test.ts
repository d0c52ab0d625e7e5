import { uuid6 } from '@langchain/langgraph-checkpoint'
import { expect, test } from 'vitest'
import {
  foldTimeline,
  type TimelineAttempt,
  type TimelineSpan,
  timeOfCheckpoint,
} from './timeline.ts'

function attempt(token: number, outcome: TimelineAttempt['outcome'] = 'running'): TimelineAttempt {
  return {
    ...{ token, attempt: token, server_id: 's', pid: 1, revision_id: null, left_out: 0 },
    ...{ started_at: token * 100, ended_at: null, outcome },
  }
}

function span(span_id: string, change: Partial<TimelineSpan> = {}): TimelineSpan {
  return {
    ...{ span_id, kind: 'node', name: span_id, namespace: [`${span_id}:1`], step: 1 },
    ...{ started_at: 100, ended_at: null, status: 'running' },
    ...change,
  }
}

test('later entries replace what earlier ones have told', () => {
  const done = span('a', { status: 'success', ended_at: 130 })
  const entries = [
    { attempt: attempt(1), spans: [span('a')] },
    { attempt: attempt(1, 'success'), spans: [done, span('b', { started_at: 90 })] },
  ]
  expect(foldTimeline(entries, false)).toEqual({
    attempts: [attempt(1, 'success')],
    spans: [
      { ...span('b', { started_at: 90 }), span_id: '1-b', token: 1, status: 'left' },
      { ...done, span_id: '1-a', token: 1 },
    ],
  })
})

test('an attempt that was never said to end is lost, unless the run still goes on in it', () => {
  const entries = [
    { attempt: attempt(1), spans: [span('a')] },
    { attempt: attempt(2), spans: [span('b')] },
  ]
  const going = foldTimeline(entries, true)
  expect(going.attempts.map(({ outcome }) => outcome)).toEqual(['lost', 'running'])
  expect(going.spans.map(({ status }) => status)).toEqual(['left', 'running'])
  const over = foldTimeline(entries, false)
  expect(over.attempts.map(({ outcome }) => outcome)).toEqual(['lost', 'lost'])
})

test('a node that is a graph lasts as long as what is within it', () => {
  const within = (name: string, change: Partial<TimelineSpan>) =>
    span(name, { namespace: ['child:1', `${name}:2`], status: 'success', ...change })
  const spans = [
    within('a', { started_at: 110, ended_at: 120 }),
    within('b', { started_at: 120, ended_at: 150, status: 'error' }),
  ]
  const { spans: told } = foldTimeline([{ attempt: attempt(1, 'error'), spans }], false)
  expect(told[0]).toMatchObject({
    ...{ name: 'child', kind: 'node', namespace: ['child:1'], status: 'error' },
    ...{ started_at: 110, ended_at: 150 },
  })
})

test('nothing was kept', () => {
  expect(foldTimeline([], false)).toEqual({ attempts: [], spans: [] })
})

test('the id of a checkpoint tells when it was made', () => {
  const before = Date.now()
  const at = timeOfCheckpoint(uuid6(3))
  expect(at).toBeGreaterThanOrEqual(before)
  expect(at).toBeLessThanOrEqual(Date.now() + 1)
  expect(timeOfCheckpoint('0198c9f0-0000-7000-8000-000000000000')).toBeNull()
  expect(timeOfCheckpoint('mine')).toBeNull()
})
