import { expect, test } from 'vitest'
import { END_EVENT, type LoggedEvent } from '../core/agent/event.ts'
import { LiveRun } from './live-run.ts'

const LIMITS = { events: 4, chars: 100 }

function event(run_seq: number, data = '1', name = 'values'): LoggedEvent {
  const place = { thread_id: 't', run_id: 'r', seq: run_seq + 1, created_at: 0 }
  return { ...place, run_seq, event: name, data }
}

function filled(...seqs: number[]): LiveRun {
  const live = new LiveRun(LIMITS)
  for (const seq of seqs) live.add(event(seq))
  return live
}

const seqsSince = (live: LiveRun, after: number, limit = 10) =>
  live.since(after, limit)?.map((one) => one.run_seq)

test('an empty ring refers to the store', () => {
  expect(filled().since(-1, 10)).toBeUndefined()
})

test('gives what follows a number, up to the limit', () => {
  expect(seqsSince(filled(2, 3, 4), 1)).toEqual([2, 3, 4])
  expect(seqsSince(filled(2, 3, 4), 2)).toEqual([3, 4])
  expect(seqsSince(filled(2, 3, 4), 1, 2)).toEqual([2, 3])
})

test('has nothing to give to those who have the latest event, or claim a later one', () => {
  expect(seqsSince(filled(2, 3), 3)).toEqual([])
  expect(seqsSince(filled(2, 3), 99)).toEqual([])
})

test('refers to the store for what is older than the ring', () => {
  expect(filled(2, 3).since(0, 10)).toBeUndefined()
})

test('drops the oldest beyond the number of events', () => {
  const live = filled(0, 1, 2, 3, 4, 5)
  expect(seqsSince(live, 1)).toEqual([2, 3, 4, 5])
  expect(live.since(0, 10)).toBeUndefined()
})

test('drops the oldest beyond the size of their data', () => {
  const live = filled(0, 1)
  live.add(event(2, 'x'.repeat(99)))
  expect(seqsSince(live, 0)).toEqual([1, 2])
  live.add(event(3, 'x'.repeat(200)))
  expect(live.since(2, 10)).toBeUndefined()
  live.add(event(4))
  expect(seqsSince(live, 3)).toEqual([4])
})

test('passes over an event that it has', () => {
  const live = filled(0, 1, 2)
  live.add(event(1))
  expect(seqsSince(live, -1)).toEqual([0, 1, 2])
})

test('never holds a gap: after one it begins anew', () => {
  const live = filled(0, 1)
  live.add(event(5))
  expect(live.since(1, 10)).toBeUndefined()
  expect(seqsSince(live, 4)).toEqual([5])
})

test('remembers the end', () => {
  const live = filled(0)
  expect(live.end).toBeUndefined()
  live.add(event(1, '{}', END_EVENT))
  expect(live.end?.run_seq).toBe(1)
})

test('who waits wakes at the next event, or at once when it came already', async () => {
  const live = filled(0)
  const { signal } = new AbortController()
  const seen = live.version
  const woken = live.changed(seen, 60_000, signal)
  live.add(event(1))
  await woken
  await live.changed(seen, 60_000, signal)
})

test('who waits wakes when it leaves', async () => {
  const live = filled(0)
  const leaving = new AbortController()
  const woken = live.changed(live.version, 60_000, leaving.signal)
  leaving.abort()
  await woken
})
