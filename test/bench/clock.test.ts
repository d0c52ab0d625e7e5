import { expect, it } from 'vitest'
import { quantile, repeated } from '../../bench/clock.ts'

it('finds the value that a share of the values does not exceed', () => {
  const values = Array.from({ length: 200 }, (_, i) => 200 - i)
  expect(quantile(values, 0.5)).toBe(100)
  expect(quantile(values, 0.99)).toBe(198)
  expect(quantile(values, 1)).toBe(200)
  expect(quantile([7], 0.99)).toBe(7)
  expect(quantile([], 0.5)).toBeNaN()
})

it('repeats one after the other', async () => {
  let running = 0
  let most = 0
  const work = async () => {
    running += 1
    most = Math.max(most, running)
    await Promise.resolve()
    running -= 1
    return most
  }
  expect(await repeated(work, 3)).toEqual([1, 1, 1])
})
