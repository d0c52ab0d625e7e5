import { expect, test } from 'vitest'
import { mostServers, mostServersHelp } from './scale.ts'

test.each([
  ['', '', 1, 'More start while runs wait.'],
  ['0', '', 1, 'More start while runs wait.'],
  ['2', '', 2, 'More start while runs wait.'],
  ['2', '4', 4, 'More start while runs wait.'],
  ['5', '1', 5, 'It counts as 5, the least.'],
  ['0', '0', 1, 'It counts as 1, the least.'],
])('of least "%s" and most "%s" it says what counts', (minScale, maxScale, most, help) => {
  expect(mostServers({ minScale, maxScale })).toBe(most)
  expect(mostServersHelp({ minScale, maxScale })).toBe(help)
})
