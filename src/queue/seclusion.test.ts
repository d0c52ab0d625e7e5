import { expect, test } from 'vitest'
import { Seclusion } from './seclusion.ts'

/** Whether others are held back at each of these seconds, while a suspect waits. */
function heldAt(seclusion: Seclusion, from: number, to: number): string {
  let seen = ''
  for (let second = from; second <= to; second += 1) {
    seclusion.note(true, second * 1_000)
    seen += seclusion.holdsBack ? 'x' : '.'
  }
  return seen
}

test('others are let in for as long as they were held back, which grows until there is room', () => {
  expect(heldAt(new Seclusion(), 0, 27)).toBe('xx..xxxx....xxxxxxxx........')
})

test('after a suspect has executed alone others are let in for as long as that took', () => {
  const seclusion = new Seclusion()
  expect(heldAt(seclusion, 0, 0)).toBe('x')
  seclusion.begin(0)
  seclusion.over(5_000)
  expect(heldAt(seclusion, 5, 13)).toBe('.....xx..')
})

test('nobody is held back once none waits any more', () => {
  const seclusion = new Seclusion()
  expect(heldAt(seclusion, 0, 0)).toBe('x')
  seclusion.note(false, 1_000)
  expect(seclusion.holdsBack).toBe(false)
})
