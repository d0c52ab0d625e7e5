import { expect, test } from 'vitest'
import { heapArguments } from './memory.ts'

test('a server whose graphs are in Python has little room for young objects', () => {
  const first = '--min-semi-space-size=6'
  expect(heapArguments(undefined)).toEqual([first])
  const args = heapArguments(256, { isBesidePython: true })
  expect(args).toEqual([first, '--max-semi-space-size=8', '--max-old-space-size=192'])
})
