import { beforeEach, expect, test } from 'vitest'
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
  const live = new LiveThread()
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
