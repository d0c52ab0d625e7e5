import { expect, test } from 'vitest'
import { keyInUse } from './idempotency.ts'

const caller = { identity: 'ann', permissions: [], headers: {} }
const request = { assistant_id: 'agent', input: { a: 1, b: [2, 3] } }
const KEY = keyInUse('k', { caller, thread_id: 't', request })

test('the same request has the same fingerprint, in whatever order its keys came', () => {
  const again = { input: { b: [2, 3], a: 1 }, assistant_id: 'agent' }
  expect(keyInUse('k', { caller, thread_id: 't', request: again })).toEqual(KEY)
})

test.each([
  ['another value', { ...request, input: { a: 1, b: [2, 4] } }],
  ['another order in a list', { ...request, input: { a: 1, b: [3, 2] } }],
  ['one field more', { ...request, webhook: '/hook' }],
])('a request with %s has another one', (_what, other) => {
  const { fingerprint } = keyInUse('k', { caller, thread_id: 't', request: other })
  expect(fingerprint).not.toBe(KEY.fingerprint)
})

test('a key is its caller’s, its thread’s and its place’s in a batch', () => {
  const others = [
    keyInUse('k', { caller: { ...caller, identity: 'bob' }, thread_id: 't', request }),
    keyInUse('k', { caller: { ...caller, identity: undefined }, thread_id: 't', request }),
    keyInUse('k', { caller, thread_id: null, request }),
    keyInUse('k', { caller, thread_id: 't', place: 0, request }),
  ]
  const scopes = [KEY, ...others].map(({ scope }) => scope)
  expect(new Set(scopes).size).toBe(scopes.length)
})
