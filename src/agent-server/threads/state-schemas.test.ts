import { expect, test } from 'vitest'
import { EMPTY_STATE, type ThreadState } from '../../core/agent/thread.ts'
import { type StateSelection, selectFields } from './state-schemas.ts'

const values = { messages: ['hi'], 'a.b': 1, long: 'x' }
const state: ThreadState = { ...EMPTY_STATE, values, next: ['ask'] }

test.each<[string, StateSelection[], object]>([
  ['nothing', [], state],
  ['fields', ['next', 'values'], { next: ['ask'], values }],
  ['a key of the values', ['values.messages'], { values: { messages: ['hi'] } }],
  [
    'keys and fields',
    ['values.a.b', 'values.long', 'next'],
    { values: { 'a.b': 1, long: 'x' }, next: ['ask'] },
  ],
  ['a key that is not there', ['values.none'], { values: {} }],
  ['a key beside the whole', ['values.long', 'values'], { values }],
])('%s', (_, select, answer) => {
  expect(selectFields(state, select)).toEqual(answer)
})

test('a state without keys has none of them', () => {
  expect(selectFields({ ...state, values: ['a'] }, ['values.0'])).toEqual({ values: {} })
})
