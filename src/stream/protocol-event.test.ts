import { expect, test } from 'vitest'
import type { JsonObject } from '../core/json.ts'
import { legacyMessage } from './protocol-event.ts'

const shown = (data: JsonObject) =>
  legacyMessage({ namespace: ['model:1'], node: 'model', data: { ...data, run_id: 'm1' } })
const delta = (fields: JsonObject) =>
  shown({ event: 'content-block-delta', index: 0, delta: fields })

test('a text comes piece by piece, with its message and its node', () => {
  const [piece, metadata] = delta({ type: 'text-delta', text: 'Hi' }) ?? []
  expect(piece).toMatchObject({ id: 'm1', type: 'ai', content: 'Hi', tool_call_chunks: [] })
  expect(metadata).toEqual({ langgraph_node: 'model', langgraph_checkpoint_ns: 'model:1' })
})

test('reasoning stands beside the content', () => {
  const [piece] = delta({ type: 'reasoning-delta', reasoning: 'Hm' }) ?? []
  expect(piece).toMatchObject({ content: '', additional_kwargs: { reasoning_content: 'Hm' } })
})

test('a tool call comes when it is whole', () => {
  expect(delta({ type: 'block-delta', fields: { type: 'tool_call_chunk' } })).toBeUndefined()
  const content = { type: 'tool_call', id: 'c1', name: 'weather', args: { city: 'Bern' } }
  const [piece] = shown({ event: 'content-block-finish', index: 1, content }) ?? []
  expect(piece).toMatchObject({
    tool_calls: [content],
    tool_call_chunks: [{ id: 'c1', name: 'weather', args: '{"city":"Bern"}', index: 1 }],
  })
})

test('any other block comes when it is whole, and usage with the end', () => {
  const content = { type: 'image', url: 'https://example.com/a.png' }
  const [image] = shown({ event: 'content-block-finish', index: 0, content }) ?? []
  expect(image).toMatchObject({ content: [content] })
  const usage = { input_tokens: 1, output_tokens: 2, total_tokens: 3 }
  const [end] = shown({ event: 'message-finish', reason: 'stop', usage }) ?? []
  expect(end).toMatchObject({ content: '', usage_metadata: usage })
})

test.each([
  { event: 'message-start', role: 'ai', id: 'm1' },
  { event: 'content-block-start', index: 0, content: { type: 'text', text: '' } },
  { event: 'content-block-finish', index: 0, content: { type: 'text', text: 'Hi' } },
  { event: 'message-finish', reason: 'stop' },
  { event: 'error', message: 'no luck' },
])('nothing is shown of $event', (data) => {
  expect(shown(data)).toBeUndefined()
})
