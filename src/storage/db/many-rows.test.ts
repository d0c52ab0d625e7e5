import { expect, test } from 'vitest'
import { insertStatements } from './many-rows.ts'

const rowsOf = (count: number, text = 'x') => Array.from({ length: count }, (_, i) => [i, text])
const counts = (rows: (string | number)[][]) =>
  insertStatements('t', ['a', 'b'], rows).map(({ params }) => params.length / 2)

test('few rows are one statement, many are as many as powers of two make', () => {
  expect(counts([])).toEqual([])
  expect(counts(rowsOf(3))).toEqual([3])
  expect(counts(rowsOf(13))).toEqual([8, 5])
  expect(counts(rowsOf(100))).toEqual([64, 32, 4])
})

test('large rows are not put into one statement', () => {
  const large = 'x'.repeat(2 ** 20)
  expect(counts([...rowsOf(2), [2, large], [3, large], ...rowsOf(2)])).toEqual([2, 1, 1, 2])
  expect(counts(rowsOf(3, 'x'.repeat(2 ** 19)))).toEqual([2, 1])
})

test('each placeholder has its value, and the suffix follows', () => {
  const [one] = insertStatements('t', ['a', 'b'], rowsOf(2), 'ON CONFLICT DO NOTHING')
  expect(one).toEqual({
    sql: 'INSERT INTO t (a, b) VALUES ($1, $2), ($3, $4) ON CONFLICT DO NOTHING',
    params: [0, 'x', 1, 'x'],
  })
})
