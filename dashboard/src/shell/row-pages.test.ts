import { expect, test } from 'vitest'
import { pageOf } from './row-pages.ts'

const rows = (count: number) => Array.from({ length: count }, (_, at) => at)

test('a single server returns just the page, and one row more', () => {
  const { ask, of } = pageOf(['a'], 2, 10)
  expect(ask).toEqual({ limit: 11, offset: 20 })
  expect(of(rows(11))).toEqual({ rows: rows(10), hasMore: true })
  expect(of(rows(3))).toEqual({ rows: [0, 1, 2], hasMore: false })
})

test('several servers return their rows up to the end of the page', () => {
  const { ask, of } = pageOf(['a', 'b'], 1, 10)
  expect(ask).toEqual({ limit: 21, offset: 0 })
  expect(of(rows(42))).toEqual({ rows: rows(20).slice(10), hasMore: true })
  expect(of(rows(20)).hasMore).toBe(false)
})

test('no page of several servers needs more rows than a server returns', () => {
  const last = pageOf(['a', 'b'], 8, 100)
  expect(last.ask.limit).toBe(901)
  expect(last.of(rows(1802)).hasMore).toBe(false)
})
