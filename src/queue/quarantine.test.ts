import { expect, test } from 'vitest'
import { Quarantine } from './quarantine.ts'

/** Whether other runs are held back at each of these seconds, while a suspect is pending. */
function heldAt(quarantine: Quarantine, from: number, to: number): string {
  let seen = ''
  for (let second = from; second <= to; second += 1) {
    quarantine.note(true, second * 1_000)
    seen += quarantine.holdsBack ? 'x' : '.'
  }
  return seen
}

test('others are let in for as long as they were held back, which grows until there is room', () => {
  expect(heldAt(new Quarantine(), 0, 27)).toBe('xx..xxxx....xxxxxxxx........')
})

test('after a suspect has executed alone others are let in for as long as that took', () => {
  const quarantine = new Quarantine()
  expect(heldAt(quarantine, 0, 0)).toBe('x')
  quarantine.begin(0)
  quarantine.over(5_000)
  expect(heldAt(quarantine, 5, 13)).toBe('.....xx..')
})

test('nobody is held back once none waits any more', () => {
  const quarantine = new Quarantine()
  expect(heldAt(quarantine, 0, 0)).toBe('x')
  quarantine.note(false, 1_000)
  expect(quarantine.holdsBack).toBe(false)
})
