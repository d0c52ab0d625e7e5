import { expect, test } from 'vitest'
import { isSelected, type Selection } from './run.ts'

const NAMES = [
  'metadata',
  'values',
  'messages',
  'messages/partial|a:1',
  'updates|a:1',
  'updates|a:1|b:2',
  'updates|ab:1',
  'updates|a:1|tools:1',
  'updates|tools:1|b:1',
  'error',
]

const selected = (selection: Selection) =>
  NAMES.filter((event) => isSelected({ event, data: '' }, selection))

test('without a wish everything is shown', () => {
  expect(selected({})).toEqual(NAMES)
})

test('with modes only theirs, in subgraphs too, and always the beginning and the failure', () => {
  expect(selected({ modes: ['messages'] })).toEqual(['metadata', 'messages/partial|a:1', 'error'])
  expect(selected({ modes: ['messages-tuple', 'values'] })).toEqual([
    'metadata',
    'values',
    'messages',
    'error',
  ])
})

test.each([
  ['a', ['metadata', 'messages/partial|a:1', 'updates|a:1', 'updates|a:1|b:2', 'error']],
  ['a:1', ['metadata', 'messages/partial|a:1', 'updates|a:1', 'updates|a:1|b:2', 'error']],
  ['a:2', ['metadata', 'error']],
  ['a|b', ['metadata', 'updates|a:1|b:2', 'error']],
  ['', NAMES.filter((name) => !name.includes('tools'))],
  ['tools', ['metadata', 'updates|tools:1|b:1', 'error']],
  ['a|tools:1', ['metadata', 'updates|a:1|tools:1', 'error']],
])(
  'the namespace "%s" is what begins with it, by whole parts, without sub-agents',
  (namespace, names) => {
    expect(selected({ namespaces: [namespace] })).toEqual(names)
  },
)

test('of several namespaces one is enough, and modes count beside them', () => {
  expect(selected({ namespaces: ['ab', 'a|b'], modes: ['updates'] })).toEqual([
    'metadata',
    'updates|a:1|b:2',
    'updates|ab:1',
    'error',
  ])
})
