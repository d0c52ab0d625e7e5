import { expect, test } from 'vitest'
import { excerptOfEnd, excerptOfRun, excerptOfThread, lacksText, mentions } from './excerpt.ts'

const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }
const messages = [
  { type: 'system', content: 'Be kind.' },
  { type: 'human', content: [image, { type: 'text', text: 'What\n  is this?' }] },
  { type: 'ai', content: 'A cat.', usage_metadata: { input_tokens: 9, output_tokens: 3 } },
  { type: 'ai', content: '', usage_metadata: { input_tokens: 11, output_tokens: 2 } },
  { type: 'tool', content: '{"ok":true}' },
]

const excerptOf = (values: object | null, ...asked: unknown[]) =>
  excerptOfThread({
    values: values as never,
    interrupts: asked.length > 0 ? { task: asked.map((value) => ({ value: value as never })) } : {},
  })

test('of a conversation: the first and the last that was said, and its tokens', () => {
  expect(excerptOf({ messages })).toEqual({
    first: 'What is this?',
    last: 'A cat.',
    question: null,
    input_tokens: 20,
    output_tokens: 5,
  })
  expect(excerptOf({ n: 1, talk: messages })).toMatchObject({ last: 'A cat.' })
})

test('of other values: the first text', () => {
  const none = { last: null, question: null, input_tokens: null, output_tokens: null }
  expect(excerptOf({ n: 1, list: [{ deep: ' ' }, { tea: 'mint' }] })).toEqual({
    ...none,
    first: 'mint',
  })
  expect(excerptOf(null)).toEqual({ ...none, first: null })
  expect(excerptOf({ messages: [] })).toEqual({ ...none, first: null })
})

test.each<[unknown, string]>([
  ['Really?', 'Really?'],
  [{ id: 7, kind: 'plain', question: 'Send it?' }, 'Send it?'],
  [{ action_requests: [{ name: 'send', args: {}, description: 'Sends it.' }] }, 'Sends it.'],
  [[{ action_request: { action: 'send', args: { to: 'Ada' } } }], 'send'],
  [true, 'true'],
])('the question of %j is %s', (value, question) => {
  expect(excerptOf({}, value, 'another').question).toBe(question)
})

const inputText = (kwargs: object) => excerptOfRun({ kwargs } as never).first

test('the input of a run: its last message, its first text, its answer', () => {
  expect(inputText({ input: { messages } })).toBe('A cat.')
  expect(inputText({ input: { cups: 2, tea: 'mint' } })).toBe('mint')
  expect(inputText({ input: 'mint' })).toBe('mint')
  expect(inputText({ input: { messages: [['user', 'hi']] } })).toBe('hi')
  expect(inputText({ command: { resume: { a: { answer: 'yes' } } } })).toBe('yes')
  expect(inputText({ command: { resume: true } })).toBe('true')
  expect(inputText({ input: null })).toBeNull()
  expect(inputText({})).toBeNull()
})

test('the end of a run: what it has said or changed, and what it asks', () => {
  const interrupts = [{ value: 'Sure?' }]
  const said = [{ role: 'user', content: 'hi' }]
  const end = { values: { messages: [...said, { type: 'ai', content: 'ho' }] }, interrupts }
  expect(excerptOfEnd({ input: { messages: said } }, end)).toEqual({
    last: 'ho',
    question: 'Sure?',
  })
  const silent = { values: { messages: said }, interrupts: [] }
  expect(excerptOfEnd({ input: { messages: said } }, silent)).toEqual({})
  const changed = { values: { tea: 'mint', log: ['poured'] }, interrupts: [] }
  expect(excerptOfEnd({ input: { tea: 'mint' } }, changed)).toEqual({ last: 'poured' })
  expect(excerptOfEnd({ command: { resume: 'yes' } }, changed)).toEqual({})
})

test('texts are cut off, and not within a character', () => {
  const { first } = excerptOf({ text: '😀'.repeat(5_000) })
  expect(first).toBe(`${'😀'.repeat(150)} …`)
  expect(excerptOf({ text: `a${'😀'.repeat(5_000)}` }).first?.isWellFormed()).toBe(true)
})

test('a text is found in what was said, not in the form of it', () => {
  const said = { messages: [{ type: 'human', id: 'human-1', content: 'Grüße an "Ada"' }] }
  expect(mentions(said, 'grüße an "a')).toBe(true)
  expect(mentions(said, 'human')).toBe(false)
  expect(mentions({ messages: [{ type: 'human', content: [image] }] }, 'base64')).toBe(false)
  const json = JSON.stringify(said)
  expect(lacksText(json, 'grüße an "a')).toBe(false)
  expect(lacksText(json, 'bob')).toBe(true)
})

test('values may be nested deeper than calls can be', () => {
  const deep = JSON.parse(`${'['.repeat(20_000)}"gold"${']'.repeat(20_000)}`)
  expect(mentions(deep, 'gold')).toBe(true)
})
