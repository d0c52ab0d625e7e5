import { expect, test } from 'vitest'
import { lastWords } from './words.ts'

test('the last message says it, under whichever key and in whichever form', () => {
  const parts = [{ type: 'text', text: 'tea, ' }, { type: 'image_url' }, 'please']
  expect(lastWords({ messages: [{ role: 'user', content: 'tea' }] })).toBe('tea')
  expect(lastWords({ n: 1, talk: [{ type: 'ai', content: parts }] })).toBe('tea, please')
  expect(lastWords('tea')).toBe('tea')
})

test('anything else has no words', () => {
  for (const value of [undefined, null, 7, {}, [], { list: [1] }, { messages: [] }])
    expect(lastWords(value)).toBeUndefined()
})
