import { expect, test } from 'vitest'
import { containsJson } from './json-containment.ts'

test.each([
  [{ a: 1, b: 2 }, { a: 1 }],
  [{ a: { b: { c: 1, d: 2 } } }, { a: { b: { c: 1 } } }],
  [{ tags: ['x', 'y', 'z'] }, { tags: ['z', 'x'] }],
  [{ list: [{ id: 1, name: 'a' }] }, { list: [{ id: 1 }] }],
  [{ a: null }, { a: null }],
  [{ a: [1] }, {}],
])('%j contains %j', (document, wanted) => {
  expect(containsJson(document, wanted)).toBe(true)
})

test.each([
  [{ a: 1 }, { a: 2 }],
  [{ a: 1 }, { a: '1' }],
  [{}, { a: null }],
  [{}, { toString: {} }],
  [{ a: { b: 1 } }, { a: { b: 1, c: 2 } }],
  [{ tags: ['x'] }, { tags: ['x', 'y'] }],
  [{ tags: ['x'] }, { tags: 'x' }],
  [{ a: [1] }, { a: {} }],
])('%j does not contain %j', (document, wanted) => {
  expect(containsJson(document, wanted)).toBe(false)
})
