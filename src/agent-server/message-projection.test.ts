import { AIMessage, AIMessageChunk } from '@langchain/core/messages'
import { expect, test } from 'vitest'
import { type NewEvent, PIECE_EVENT } from '../core/event.ts'
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

test('pieces are put together until the message stands in a state', () => {
  const messages = new MessageProjection()
  expect(brief(messages.onMessage(piece('a'), { node: 'n' }))).toEqual([
    ['metadata', undefined],
    ['partial', 'a'],
  ])
  expect(brief(messages.onMessage(piece('b'), {}))).toEqual([['piece', 'b']])
  expect(messages.onValues({ messages: [new AIMessage({ content: 'other', id: 'm0' })] })).toEqual(
    [],
  )
  const values = { messages: [new AIMessage({ content: 'ab!', id: 'm1' })] }
  expect(brief(messages.onValues(values))).toEqual([['complete', 'ab!']])
  expect(messages.onValues(values)).toEqual([])
  expect(messages.onEnd()).toEqual([])
})

test('a message that comes whole is complete at once, and once', () => {
  const messages = new MessageProjection()
  const whole = new AIMessage({ content: 'all', id: 'm1' })
  expect(brief(messages.onMessage(whole, {}))).toEqual([
    ['metadata', undefined],
    ['complete', 'all'],
  ])
  expect(messages.onMessage(whole, {})).toEqual([])
})

test('a message that never comes to stand in a state is complete at the end of the run', () => {
  const messages = new MessageProjection()
  messages.onMessage(piece('a'), {})
  messages.onMessage(piece('x', 'm2'), {})
  expect(brief(messages.onEnd())).toEqual([
    ['complete', 'a'],
    ['complete', 'x'],
  ])
})

test('states without messages, and messages without an id, are passed over', () => {
  const messages = new MessageProjection()
  expect(messages.onMessage(new AIMessageChunk('a'), {})).toEqual([])
  messages.onMessage(piece('a'), {})
  for (const values of [null, 'text', {}, { messages: 'x' }, { messages: [null] }]) {
    expect(messages.onValues(values)).toEqual([])
  }
})
