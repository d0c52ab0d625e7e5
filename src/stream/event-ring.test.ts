import { expect, test } from 'vitest'
import type { RunEvent } from '../core/agent/event.ts'
import { EventRing } from './event-ring.ts'

function event(seq: number, run_id = 'r', data = '1'): RunEvent {
  return { thread_id: 't', run_id, seq, run_seq: null, event: 'values', data, created_at: 0 }
}

function filled(...events: RunEvent[]): EventRing<RunEvent> {
  const ring = new EventRing<RunEvent>({ events: 4, chars: 100 }, ({ seq }) => seq)
  for (const one of events) ring.add(one)
  return ring
}

const since = (ring: EventRing<RunEvent>, after: number) =>
  ring.since(after, 10)?.map(({ run_id, seq }) => `${run_id}${seq}`)

test('behind a gap there is nothing of what was before it', () => {
  const ring = filled(event(1), event(2), event(4))
  expect(since(ring, 3)).toEqual(['r4'])
  expect(since(ring, 2)).toBeUndefined()
})

test('what is known, or older than all that is here, is not added', () => {
  const ring = filled(event(5, 'a'), event(6, 'b'))
  expect(ring.add(event(6, 'b'))).toBe(false)
  expect(ring.add(event(4, 'c'))).toBe(false)
  expect(since(ring, 4)).toEqual(['a5', 'b6'])
})

test('a thread that was made anew under its old id has only its own events', () => {
  const ring = filled(event(1, 'old'), event(2, 'old'), event(3, 'old'), event(1, 'new'))
  expect(since(ring, 0)).toEqual(['new1'])
  ring.add(event(2, 'new'))
  expect(since(ring, 0)).toEqual(['new1', 'new2'])
})

test('the oldest go as new ones come, again and again', () => {
  const ring = filled(...Array.from({ length: 50 }, (_, i) => event(i + 1)))
  expect(since(ring, 46)).toEqual(['r47', 'r48', 'r49', 'r50'])
  expect(since(ring, 48)).toEqual(['r49', 'r50'])
  expect(since(ring, 45)).toBeUndefined()
  expect(ring.add(event(48))).toBe(false)
  expect(ring.add(event(51))).toBe(true)
  expect(since(ring, 49)).toEqual(['r50', 'r51'])
})
