import { expect, it } from 'vitest'
import { IdleWatch } from './heap.ts'

const BUSY = 0.5
const IDLE = 0.01

/** What the watch says after each look. */
const told = (shares: number[]) => {
  const watch = new IdleWatch()
  return shares.map((share) => watch.add(share))
}

it('gives memory back from the second idle look on, for five looks', () => {
  const shares = [BUSY, IDLE, IDLE, IDLE, IDLE, IDLE, IDLE, IDLE, IDLE]
  expect(told(shares)).toEqual([false, false, true, true, true, true, true, false, false])
})

it('gives none back while it is busy, and stops when it gets busy', () => {
  const shares = [BUSY, IDLE, BUSY, IDLE, IDLE, BUSY]
  expect(told(shares)).toEqual([false, false, false, false, true, false])
})

it('gives memory back again after it was busy', () => {
  const idle = Array.from({ length: 8 }, () => IDLE)
  expect(told([...idle, BUSY, ...idle]).filter(Boolean)).toHaveLength(10)
})
