import { beforeEach, expect, test } from 'vitest'
import { ThreadNews } from './thread-news.ts'

let reads: number
const read = async () => {
  reads += 1
  return []
}
beforeEach(() => {
  reads = 0
})

function newsOf(followers: number): ThreadNews {
  const news = new ThreadNews()
  news.followers = followers
  return news
}

test('who follow together read a page once', async () => {
  const news = newsOf(2)
  const [first, second] = [news.page(7, 64, read), news.page(7, 64, read)]
  expect(await first).toBe(await second)
  expect(reads).toBe(1)
})

test('a page is read anew when something was announced since', async () => {
  const news = newsOf(2)
  await news.page(7, 64, read)
  news.announce()
  await news.page(7, 64, read)
  expect(reads).toBe(2)
})

test('who are elsewhere, or read less at once, read for themselves', async () => {
  const news = newsOf(3)
  await Promise.all([news.page(7, 64, read), news.page(8, 64, read), news.page(7, 8, read)])
  expect(reads).toBe(3)
})

test('nothing is kept for one who follows alone', async () => {
  const news = newsOf(1)
  await news.page(7, 64, read)
  await news.page(7, 64, read)
  expect(reads).toBe(2)
})

test('a read that failed is told to all who shared it, and to nobody later', async () => {
  const news = newsOf(2)
  const failing = async () => Promise.reject(new Error('no disk'))
  const both = await Promise.allSettled([news.page(7, 64, failing), news.page(7, 64, read)])
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(await news.page(7, 64, read)).toEqual([])
})
