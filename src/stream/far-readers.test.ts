import { expect, onTestFinished, test, vi } from 'vitest'
import { NoticeHub } from '../../test/support/notice-hub.ts'
import { FarReaders } from './far-readers.ts'

test('what is read here is told at once and again, until nobody reads it', () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const hub = new NoticeHub()
  const readers = new FarReaders(hub.join(), { now: () => 0 })
  const stop = readers.tell('run')
  expect(hub.told).toEqual([{ kind: 'reads', id: 'run' }])
  vi.advanceTimersByTime(2_500)
  expect(hub.told).toHaveLength(3)
  const stopOther = readers.tell('run')
  expect(hub.told).toHaveLength(3)
  stop()
  vi.advanceTimersByTime(1_000)
  expect(hub.told).toHaveLength(4)
  stopOther()
  vi.advanceTimersByTime(2_500)
  expect(hub.told).toHaveLength(4)
})

test('what was told counts for three seconds, and is forgotten', () => {
  let now = 0
  const readers = new FarReaders(new NoticeHub().join(), { now: () => now })
  readers.note('one')
  now = 1_000
  readers.note('other')
  readers.note('one')
  now = 3_999
  expect([readers.has('one'), readers.has('other'), readers.has('none')]).toEqual([
    true,
    true,
    false,
  ])
  now = 4_000
  readers.note('new')
  expect([readers.has('one'), readers.has('other'), readers.has('new')]).toEqual([
    false,
    false,
    true,
  ])
})
