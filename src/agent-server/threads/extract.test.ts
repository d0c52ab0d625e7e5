import { expect, test } from 'vitest'
import { extractFrom, parseExtractPath } from './extract.ts'

const thread = {
  values: { messages: [{ content: 'one' }, { content: 'two' }], 'a-b': { '0': 'zero' } },
  metadata: { owner: 'ada' },
  config: {},
  interrupts: { task: [{ id: 'i', value: 'name?' }] },
}

function extract(text: string): unknown {
  const path = parseExtractPath(text) ?? expect.fail(`${text} is no path`)
  return extractFrom(thread, { found: path }).found
}

test.each([
  ['values', thread.values],
  ['values.messages[0].content', 'one'],
  ['values.messages[-1].content', 'two'],
  ['values.messages[-2].content', 'one'],
  ['values.messages[7]', null],
  ['values.messages.length', null],
  ['values.a-b.0', 'zero'],
  ['values.messages[0].content.toString', null],
  ['values.__proto__', null],
  ['metadata.owner', 'ada'],
  ['metadata.owner.name', null],
  ['interrupts.task[0].value', 'name?'],
])('%s is %j', (text, expected) => {
  expect(extract(text)).toEqual(expected)
})

test('a value that is there and null is null', () => {
  const path = parseExtractPath('values.nothing') ?? expect.fail('no path')
  expect(extractFrom({ ...thread, values: { nothing: null } }, { a: path })).toEqual({ a: null })
})

test.each([
  '',
  'value',
  'valuesmessages',
  'status',
  'values.',
  'values..a',
  'values[]',
  'values[a]',
  'values[1',
  'values]1',
  'values.a b]',
  'values[1]a',
  `values.${'a'.repeat(600)}`,
])('"%s" is no path', (text) => {
  expect(parseExtractPath(text)).toBeUndefined()
})
