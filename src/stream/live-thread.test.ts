import { beforeEach, expect, test } from 'vitest'
import type { RunEvent } from '../core/agent/event.ts'
import { LiveThread } from './live-thread.ts'

let reads: number
const read = async () => {
  reads += 1
  return []
}
beforeEach(() => {
  reads = 0
})

function liveThread(followers: number): LiveThread {
  const live = new LiveThread({ events: 4, chars: 100 })
  live.followers = followers
  return live
}

test('who follow together read a page once', async () => {
  const live = liveThread(2)
  const [first, second] = [live.page(7, 64, read), live.page(7, 64, read)]
  expect(await first).toBe(await second)
  expect(reads).toBe(1)
})

test('a page is read anew when something was announced since', async () => {
  const live = liveThread(2)
  await live.page(7, 64, read)
  live.announce()
  await live.page(7, 64, read)
  expect(reads).toBe(2)
})

test('who are elsewhere, or read less at once, read for themselves', async () => {
  const live = liveThread(3)
  await Promise.all([live.page(7, 64, read), live.page(8, 64, read), live.page(7, 8, read)])
  expect(reads).toBe(3)
})

test('nothing is kept for one who follows alone', async () => {
  const live = liveThread(1)
  await live.page(7, 64, read)
  await live.page(7, 64, read)
  expect(reads).toBe(2)
})

test('a read that failed is told to all who shared it, and to nobody later', async () => {
  const live = liveThread(2)
  const failing = async () => Promise.reject(new Error('no disk'))
  const both = await Promise.allSettled([live.page(7, 64, failing), live.page(7, 64, read)])
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(await live.page(7, 64, read)).toEqual([])
})

const event = (seq: number): RunEvent => ({
  thread_id: 't',
  run_id: 'r',
  seq,
  run_seq: null,
  event: 'values',
  data: '1',
  created_at: 0,
})

test('events that were written here need not be read, and who asks for the same gets the same page', () => {
  const live = liveThread(2)
  live.add([event(7), event(8)])
  const page = live.since(6, 64)
  expect(page?.map(({ seq }) => seq)).toEqual([7, 8])
  expect(live.since(6, 64)).toBe(page)
  live.add([event(9)])
  expect(live.since(6, 64)?.map(({ seq }) => seq)).toEqual([7, 8, 9])
  expect(live.unread).toBe(0)
})

test('of those who ask for pages of their own, few are kept', () => {
  const live = new LiveThread({ events: 64, chars: 10_000 })
  live.add(Array.from({ length: 64 }, (_, i) => event(i + 1)))
  const first = live.since(0, 64)
  expect(live.since(0, 64)).toBe(first)
  for (let after = 1; after < 64; after += 1) live.since(after, 64)
  expect(live.since(0, 64)).toEqual(first)
  expect(live.since(0, 64)).not.toBe(first)
  const last = live.since(63, 64)
  expect(live.since(63, 64)).toBe(last)
})

test('events that were only announced have to be read', () => {
  const live = liveThread(2)
  live.add([event(7)])
  live.announce()
  expect(live.since(6, 64)).toBeUndefined()
  expect(live.unread).toBe(1)
})
