import { describe, expect, test } from 'vitest'
import { END_EVENT, type LoggedEvent, type RunEvent } from '../core/agent/event.ts'
import { LiveRun, LiveThread } from './live.ts'

const LIMITS = { events: 4, chars: 100 }

describe('a run', () => {
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

  test.each<[string, number[], number, number, number[] | undefined]>([
    ['without events refers to the store', [], -1, 10, undefined],
    ['gives what follows a number', [2, 3, 4], 1, 10, [2, 3, 4]],
    ['gives no more than the limit', [2, 3, 4], 1, 2, [2, 3]],
    ['has nothing for a follower that has the latest event', [2, 3], 3, 10, []],
    ['has nothing for a follower that claims a later one', [2, 3], 99, 10, []],
    ['refers to the store for what is older', [2, 3], 0, 10, undefined],
    ['keeps no more than the number of events', [0, 1, 2, 3, 4, 5], 1, 10, [2, 3, 4, 5]],
    ['drops the oldest', [0, 1, 2, 3, 4, 5], 0, 10, undefined],
    ['passes over an event that it has', [0, 1, 2, 1], -1, 10, [0, 1, 2]],
    ['begins anew behind a gap', [0, 1, 5], 4, 10, [5]],
    ['holds nothing from before a gap', [0, 1, 5], 1, 10, undefined],
  ])('%s', (_name, seqs, after, limit, expected) => {
    expect(seqsSince(filled(...seqs), after, limit)).toEqual(expected)
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

  test('remembers the end', () => {
    const live = filled(0)
    expect(live.end).toBeUndefined()
    live.add(event(1, '{}', END_EVENT))
    expect(live.end?.run_seq).toBe(1)
  })

  test('wakes its followers at the next event, at once when it came already, or when they leave', async () => {
    const live = filled(0)
    const leaving = new AbortController()
    const seen = live.version
    const woken = live.changed(seen, 60_000, leaving.signal)
    live.add(event(1))
    await woken
    await live.changed(seen, 60_000, leaving.signal)
    const left = live.changed(live.version, 60_000, leaving.signal)
    leaving.abort()
    await left
  })
})

describe('a thread', () => {
  function event(seq: number, run_id = 'r'): RunEvent {
    return { thread_id: 't', run_id, seq, run_seq: null, event: 'values', data: '1', created_at: 0 }
  }

  const since = (live: LiveThread, after: number) =>
    live.since(after, 64)?.map(({ run_id, seq }) => `${run_id}${seq}`)

  test('that was made anew under its old id has only its own events', () => {
    const live = new LiveThread(LIMITS)
    live.add([event(1, 'old'), event(2, 'old'), event(3, 'old'), event(1, 'new')])
    expect(since(live, 0)).toEqual(['new1'])
    live.add([event(2, 'new')])
    expect(since(live, 0)).toEqual(['new1', 'new2'])
  })

  test('keeps events that were written here, and refers to the store for those that were only announced', () => {
    const live = new LiveThread(LIMITS)
    live.add([event(7), event(8)])
    expect(since(live, 6)).toEqual(['r7', 'r8'])
    expect(live.unread).toBe(0)
    live.announce()
    expect(since(live, 6)).toBeUndefined()
    expect(live.unread).toBe(1)
  })
})
