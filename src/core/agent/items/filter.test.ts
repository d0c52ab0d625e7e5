import { describe, expect, test } from 'vitest'
import { filterProblem, type ItemFilter, matchesItemFilter, plainEqualities } from './filter.ts'

const VALUE = {
  kind: 'note',
  stars: 4,
  price: '12.5',
  day: '2026-11-20',
  deep: { k: [1] },
  no: null,
}

test.each<[boolean, ItemFilter]>([
  [true, {}],
  [true, { kind: 'note', stars: 4 }],
  [false, { kind: 'note', stars: 5 }],
  [false, { missing: 'x' }],
  [false, { missing: null }],
  [true, { no: null }],
  [true, { deep: { k: [1] } }],
  [false, { deep: { k: [1, 2] } }],
  [false, { kind: { deep: 1 } }],
  [true, { kind: { $eq: 'note' } }],
  [true, { missing: { $ne: 'x' } }],
  [true, { stars: { $gt: 3, $lte: 4 } }],
  [false, { stars: { $gt: 4 } }],
  [true, { price: { $lt: 100 } }],
  [true, { day: { $gte: '2026-11-19', $lt: '2026-11-21' } }],
  [false, { kind: { $gt: 3 } }],
  [false, { missing: { $lt: 3 } }],
  [true, { stars: { $in: [1, 4] } }],
  [false, { stars: { $in: [] } }],
  [true, { stars: { $nin: [1, 2] } }],
  [false, { stars: { $nin: [4] } }],
])('%s: %j', (isMatch, filter) => {
  expect(matchesItemFilter(VALUE, filter)).toBe(isMatch)
})

describe('a filter', () => {
  test.each<[ItemFilter, string | undefined]>([
    [{ a: 1, b: { c: { $gt: 1 } } }, undefined],
    [{ a: { $near: 1 } }, 'There is no operator "$near"'],
    [{ a: { $eq: 1, b: 2 } }, 'cannot stand in one object'],
    [{ a: { $in: 1 } }, '"$in" takes a list'],
    [{ a: { b: { $nin: 'x' } } }, '"$nin" takes a list'],
  ])('%j: %s', (filter, problem) => {
    if (problem === undefined) expect(filterProblem(filter)).toBeUndefined()
    else expect(filterProblem(filter)).toContain(problem)
  })

  test('asks a database for plain values only, of keys that it can be asked for', () => {
    const filter = {
      a: 1,
      b: { $eq: 'x' },
      c: null,
      d: { $gt: 1 },
      e: { f: 1 },
      'g\0': 'y',
      h: [1],
    }
    expect(plainEqualities(filter)).toEqual([
      ['a', 1],
      ['b', 'x'],
    ])
  })
})
