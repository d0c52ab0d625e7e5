import { expect, it } from 'vitest'
import { IdleWatch } from './heap.ts'

const BUSY = 0.5
const IDLE = 0.01
/** What V8 takes for itself while it gives memory back. */
const COLLECTING = 0.1

/** For how many ms memory is given back, all in all. */
const givenMs = (watch: IdleWatch, shares: number[]) => {
  let sum = 0
  for (const share of shares) {
    watch.add(share)
    if (watch.isGiving) sum += watch.lookMs
  }
  return sum
}
const times = (count: number, share: number) => Array.from({ length: count }, () => share)

it('gives memory back after two idle looks, for 15 s', () => {
  const watch = new IdleWatch()
  expect(givenMs(watch, [BUSY, IDLE])).toBe(0)
  expect(givenMs(watch, times(1_000, IDLE))).toBe(15_000)
})

it('gives none back while it is busy', () => {
  expect(givenMs(new IdleWatch(), [BUSY, IDLE, BUSY, IDLE, COLLECTING, IDLE, BUSY])).toBe(0)
})

it('stops as soon as it gets busy, and not because V8 collects', () => {
  const watch = new IdleWatch()
  expect(givenMs(watch, [IDLE, IDLE, COLLECTING, COLLECTING])).toBeGreaterThan(0)
  expect(watch.isGiving).toBe(true)
  watch.add(BUSY)
  expect(watch.isGiving).toBe(false)
})

it('looks more often while it gives memory back', () => {
  const watch = new IdleWatch()
  const usual = watch.lookMs
  givenMs(watch, [IDLE, IDLE])
  expect(watch.lookMs).toBeLessThanOrEqual(usual / 10)
  watch.add(BUSY)
  expect(watch.lookMs).toBe(usual)
})

it('gives memory back again after it was busy', () => {
  const idle = times(200, IDLE)
  expect(givenMs(new IdleWatch(), [...idle, BUSY, ...idle])).toBe(30_000)
})
