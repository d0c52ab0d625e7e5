import type { TimelineAttempt as Attempt, TimelineSpan as Span, Timeline } from '@runyard/client'
import { expect, test } from 'vitest'
import { rowsOf, windowOf } from './waterfall-rows.ts'

const span = (span_id: string, change: Partial<Span>): Span => ({
  ...{ span_id, token: 1, kind: 'node', name: span_id, namespace: [`${span_id}:1`], step: 1 },
  ...{ started_at: 10, ended_at: 20, status: 'success' },
  ...change,
})

const attempt = (token: number, change: Partial<Attempt> = {}): Attempt => ({
  ...{ token, attempt: token, server_id: 's', pid: 1, revision_id: null, left_out: 0 },
  ...{ started_at: token * 10, ended_at: null, outcome: 'success' },
  ...change,
})

const timeline = (change: Partial<Timeline>): Timeline => ({
  ...{ run_id: 'r', thread_id: 't', assistant_id: 'a', status: 'success', attempt: 1, error: null },
  ...{ created_at: 0, due_at: 0, started_at: 8, ended_at: 50, checkpoints: [] },
  ...{ attempts: [attempt(1, { ended_at: 50 })], spans: [] },
  ...change,
})

const brief = (rows: ReturnType<typeof rowsOf>) =>
  rows.map(({ label, depth, from, to }) => [label, depth, from, to])

test('what was at work stands below its node, and nodes below theirs', () => {
  const spans = [
    span('a', {}),
    span('m', { kind: 'model', namespace: ['a:1'], started_at: 12, ended_at: 15 }),
    span('graph', { namespace: ['g:1'], started_at: 20, ended_at: 40 }),
    span('inner', { namespace: ['g:1', 'inner:1'], started_at: 21, ended_at: 30 }),
    span('tool', { kind: 'tool', namespace: ['g:1', 'inner:1'], started_at: 22, ended_at: 29 }),
  ]
  expect(brief(rowsOf(timeline({ spans })))).toEqual([
    ['Queue', 0, 0, 8],
    ['a', 0, 10, 20],
    ['m', 1, 12, 15],
    ['graph', 0, 20, 40],
    ['inner', 1, 21, 30],
    ['tool', 2, 22, 29],
  ])
})

test('attempts are told where the run did not end in the first one', () => {
  const attempts = [attempt(1, { outcome: 'lost' }), attempt(2, { ended_at: 50 })]
  const spans = [
    span('a', { status: 'left', ended_at: null }),
    span('b', { token: 2, started_at: 20, ended_at: 50 }),
  ]
  expect(brief(rowsOf(timeline({ attempts, spans })))).toEqual([
    ['Queue', 0, 0, 8],
    ['Attempt 1', 0, 10, 20],
    ['a', 1, 10, 20],
    ['Attempt 2', 0, 20, 50],
    ['b', 1, 20, 50],
  ])
})

test('a run that goes on lasts until now', () => {
  expect(windowOf(timeline({ ended_at: null }), 99)).toEqual({ from: 0, to: 99 })
  expect(windowOf(timeline({}), 99)).toEqual({ from: 0, to: 50 })
})
