import { AIMessage, AIMessageChunk, HumanMessage } from '@langchain/core/messages'
import { expect, test } from 'vitest'
import type { MessageChange } from '../../../core/agent/host/emission.ts'
import { MessageAssembly } from './message-assembly.ts'

const piece = (content: string, id = 'm1') => new AIMessageChunk({ content, id })

/** The kind of change and the contents of the messages, of a piece only what it added. */
function brief(change: MessageChange | undefined) {
  switch (change?.kind) {
    case 'begun':
      return ['begun', change.message.content, change.metadata]
    case 'grown':
      return ['grown', (change.growth as { in: { content: { '+': string } } }).in.content['+']]
    case 'complete':
      return ['complete', ...change.messages.map(({ content }) => content)]
    default:
      return undefined
  }
}

const human = new HumanMessage({ content: 'Hello', id: 'm0' })

test('pieces are put together until the message stands in a state', () => {
  const messages = new MessageAssembly()
  expect(brief(messages.onMessage(piece('a'), { node: 'n' }))).toEqual([
    'begun',
    'a',
    { node: 'n' },
  ])
  expect(brief(messages.onMessage(piece('b'), {}))).toEqual(['grown', 'b'])
  expect(brief(messages.onValues({ messages: [human] }))).toEqual(['complete', 'Hello'])
  const values = { messages: [human, new AIMessage({ content: 'ab!', id: 'm1' })] }
  expect(brief(messages.onValues(values))).toEqual(['complete', 'ab!'])
  expect(messages.onValues(values)).toBeUndefined()
  expect(messages.onEnd()).toBeUndefined()
})

test('the messages that a state has and none before it are complete together', () => {
  const messages = new MessageAssembly()
  expect(messages.onValues({ messages: [human, piece('a')] })).toMatchObject({
    messages: [{ id: 'm0' }, { id: 'm1' }],
    isLast: false,
  })
})

test('a message that comes whole is told of when it is complete: with its state, or at the end', () => {
  const messages = new MessageAssembly()
  const whole = new AIMessage({ content: 'all', id: 'm1' })
  expect(messages.onMessage(whole, {})).toBeUndefined()
  expect(brief(messages.onValues({ messages: [whole] }))).toEqual(['complete', 'all'])
  expect(messages.onMessage(new AIMessage({ content: 'aside', id: 'm2' }), {})).toBeUndefined()
  expect(brief(messages.onEnd())).toEqual(['complete', 'aside'])
})

test('a message that is complete below is not told again above', () => {
  const complete = new Set<string>()
  const [below, above] = [new MessageAssembly(complete), new MessageAssembly(complete)]
  below.onMessage(piece('a'), {})
  expect(brief(below.onValues({ messages: [piece('a')] }))).toEqual(['complete', 'a'])
  expect(above.onValues({ messages: [piece('a')] })).toBeUndefined()
})

test('a message that never comes to stand in a state is complete at the end of the run', () => {
  const messages = new MessageAssembly()
  messages.onMessage(piece('a'), {})
  messages.onMessage(piece('x', 'm2'), {})
  expect(messages.onEnd()).toMatchObject({
    kind: 'complete',
    messages: [{ content: 'a' }, { content: 'x' }],
    isLast: true,
  })
})

test('states without messages, and messages without an id, are passed over', () => {
  const messages = new MessageAssembly()
  expect(messages.onMessage(new AIMessageChunk('a'), {})).toBeUndefined()
  messages.onMessage(piece('a'), {})
  for (const values of [null, 'text', {}, { messages: 'x' }, { messages: [null] }]) {
    expect(messages.onValues(values)).toBeUndefined()
  }
})
