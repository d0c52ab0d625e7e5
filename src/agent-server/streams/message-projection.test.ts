import { AIMessage, AIMessageChunk, HumanMessage } from '@langchain/core/messages'
import { expect, test } from 'vitest'
import { type NewEvent, PIECE_EVENT } from '../../core/agent/event.ts'
import { MessageProjection } from './message-projection.ts'

const piece = (content: string, id = 'm1') => new AIMessageChunk({ content, id })

/** The events as `[name, content of the message]`, of a piece only what it added. */
function brief(events: NewEvent[]) {
  return events.map(({ event, data }) => {
    if (event === PIECE_EVENT) return ['piece', JSON.parse(data)[1].in.content['+']]
    const [message] = event === 'messages/metadata' ? [] : JSON.parse(data)
    return [event.replace('messages/', ''), message?.content]
  })
}

const human = new HumanMessage({ content: 'Hello', id: 'm0' })

test('pieces are put together until the message stands in a state', () => {
  const messages = new MessageProjection()
  expect(brief(messages.onMessage(piece('a'), { node: 'n' }))).toEqual([
    ['metadata', undefined],
    ['partial', 'a'],
  ])
  expect(brief(messages.onMessage(piece('b'), {}))).toEqual([['piece', 'b']])
  expect(brief(messages.onValues({ messages: [human] }))).toEqual([['complete', 'Hello']])
  const values = { messages: [human, new AIMessage({ content: 'ab!', id: 'm1' })] }
  expect(brief(messages.onValues(values))).toEqual([['complete', 'ab!']])
  expect(messages.onValues(values)).toEqual([])
  expect(messages.onEnd()).toEqual([])
})

test('the messages that a state has and none before it are complete together', () => {
  const messages = new MessageProjection()
  const [{ data } = { data: '[]' }] = messages.onValues({ messages: [human, piece('a')] })
  expect(JSON.parse(data)).toMatchObject([{ id: 'm0' }, { id: 'm1' }])
})

test('a message that comes whole has no metadata, and is complete with its state, or at the end', () => {
  const messages = new MessageProjection()
  const whole = new AIMessage({ content: 'all', id: 'm1' })
  expect(messages.onMessage(whole, {})).toEqual([])
  expect(brief(messages.onValues({ messages: [whole] }))).toEqual([['complete', 'all']])
  expect(messages.onMessage(new AIMessage({ content: 'aside', id: 'm2' }), {})).toEqual([])
  expect(brief(messages.onEnd())).toEqual([['complete', 'aside']])
})

test('a message that is complete below is not told again above', () => {
  const complete = new Set<string>()
  const [below, above] = [new MessageProjection(complete), new MessageProjection(complete)]
  below.onMessage(piece('a'), {})
  expect(brief(below.onValues({ messages: [piece('a')] }))).toEqual([['complete', 'a']])
  expect(above.onValues({ messages: [piece('a')] })).toEqual([])
})

test('a message that never comes to stand in a state is complete at the end of the run', () => {
  const messages = new MessageProjection()
  messages.onMessage(piece('a'), {})
  messages.onMessage(piece('x', 'm2'), {})
  const [{ event, data } = { event: '', data: '[]' }] = messages.onEnd()
  expect(event).toBe('messages/complete')
  expect(JSON.parse(data)).toMatchObject([{ content: 'a' }, { content: 'x' }])
})

test('states without messages, and messages without an id, are passed over', () => {
  const messages = new MessageProjection()
  expect(messages.onMessage(new AIMessageChunk('a'), {})).toEqual([])
  messages.onMessage(piece('a'), {})
  for (const values of [null, 'text', {}, { messages: 'x' }, { messages: [null] }]) {
    expect(messages.onValues(values)).toEqual([])
  }
})
