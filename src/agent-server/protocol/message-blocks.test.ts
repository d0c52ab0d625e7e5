import { expect, test } from 'vitest'
import type { JsonObject } from '../../core/json.ts'
import { MessageBlocks } from './message-blocks.ts'

/** A message whose tool call comes in so many pieces. */
function told(count: number): JsonObject[] {
  const pieces = Array.from({ length: count }, (_, i) => ({
    id: 'm',
    type: 'AIMessageChunk',
    content: '',
    tool_call_chunks: [
      {
        index: 0,
        args: `${i === 0 ? '["' : ''}some${i === count - 1 ? '"]' : ''}`,
        ...(i === 0 && { id: 'c', name: 'look' }),
      },
    ],
  }))
  const blocks = new MessageBlocks('m', pieces[0] as (typeof pieces)[0])
  return [...pieces.flatMap((piece) => blocks.add(piece)), ...blocks.finish()]
}

const sizeOf = (events: JsonObject[]) => JSON.stringify(events).length

test('events of a tool call carry slices of it: twice as many pieces take twice the bytes', () => {
  expect(sizeOf(told(400)) / sizeOf(told(200))).toBeLessThan(2.1)
})

test('an event carries its slice as `delta`, and as `content` for older clients', () => {
  const [start, first, second] = told(3)
  expect(start).toMatchObject({
    content: { type: 'tool_call_chunk', id: 'c', name: 'look', args: '' },
  })
  expect(first).toMatchObject({
    delta: { type: 'tool-call-delta', args: '["some' },
    content: { type: 'tool_call_chunk', id: 'c', name: 'look', args: '["some' },
  })
  expect(second).toMatchObject({
    delta: { type: 'tool-call-delta', args: 'some' },
    content: { type: 'tool_call_chunk', args: 'some' },
  })
})
