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
