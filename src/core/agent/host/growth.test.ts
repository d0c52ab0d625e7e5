import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { JsonValue } from '../../json.ts'
import { applyGrowth, growthOf } from './growth.ts'

test('a longer text is what it is longer by', () => {
  expect(growthOf('one', 'one two')).toEqual({ '+': ' two' })
})

test('only what has changed is told, and where', () => {
  const before = { content: 'a', calls: [{ args: '{' }], id: 'm' }
  const after = { content: 'ab', calls: [{ args: '{"x' }, { args: '' }], id: 'm', usage: 3 }
  expect(growthOf(before, after)).toEqual({
    in: {
      content: { '+': 'b' },
      calls: { in: { 0: { in: { args: { '+': '"x' } } }, 1: { '=': { args: '' } } } },
      usage: { '=': 3 },
    },
  })
})

test('the same is no growth', () => {
  expect(growthOf({ a: [1, null, { b: 'c' }] }, { a: [1, null, { b: 'c' }] })).toBeUndefined()
})

test.each<[JsonValue, JsonValue]>([
  ['ab', 'a'],
  [[1, 2], [1]],
  [{ a: 1, b: 2 }, { b: 2 }],
  [
    { a: 1, b: 2 },
    { b: 2, a: 1 },
  ],
  [[], {}],
  [null, {}],
])('what was taken away or moved is written anew: %j to %j', (before, after) => {
  expect(growthOf(before, after)).toEqual({ '=': after })
})

test('whatever became of a value, the growth leads there to the byte, stored as JSON too', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), fc.jsonValue({ maxDepth: 4 }), (one, two) => {
      const [before, after] = [one, two].map((value) => JSON.parse(JSON.stringify(value)))
      for (const [from, to] of [
        [before, after],
        [
          { a: before, b: [before] },
          { a: before, b: [after, before], c: after },
        ],
      ]) {
        const growth = growthOf(from, to)
        const grown = growth ? applyGrowth(from, JSON.parse(JSON.stringify(growth))) : from
        expect(JSON.stringify(grown)).toBe(JSON.stringify(to))
      }
    }),
    { numRuns: 1_000 },
  )
})
