import { expect, it } from 'vitest'
import { measure, median } from '../../bench/row.ts'

it('takes the middle, or between the two in the middle', () => {
  expect(median([3, 1, 2])).toBe(2)
  expect(median([4, 1, 2, 3])).toBe(2.5)
})

it('measures in turn, answers medians for each floor, and closes', async () => {
  const order: string[] = []
  const next = (name: string, values: number[]) => async () => {
    order.push(name)
    return values.shift() ?? 0
  }
  const results = await measure({
    name: 'row',
    title: 'a row',
    unit: 'ms',
    pairs: 3,
    open: async () => ({
      figure: next('figure', [10, 20, 90]),
      floors: { bare: next('bare', [5, 5, 10]), half: next('half', [20, 40, 180]) },
      close: async () => void order.push('closed'),
    }),
  })
  expect(order.slice(0, 3)).toEqual(['figure', 'bare', 'half'])
  expect(order.at(-1)).toBe('closed')
  expect(results).toMatchObject([
    { figure: 20, floorName: 'bare', floor: 5, ratio: 4 },
    { figure: 20, floorName: 'half', floor: 40, ratio: 0.5 },
  ])
})

it('tells each number of a measurement that has several by itself', async () => {
  const results = await measure({
    name: 'join',
    title: 'create and join',
    unit: 'ms',
    pairs: 1,
    open: async () => ({
      figure: async () => ({ p50: 10, p99: 40 }),
      floors: { bare: async () => ({ p50: 5, p99: 10 }) },
      close: async () => {},
    }),
  })
  expect(results).toMatchObject([
    { name: 'join p50', title: 'create and join: p50', figure: 10, floor: 5, ratio: 2 },
    { name: 'join p99', title: 'create and join: p99', figure: 40, floor: 10, ratio: 4 },
  ])
})
