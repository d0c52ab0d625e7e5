import { expect, test } from 'vitest'
import type { ProtocolPlace } from '../../core/agent/protocol.ts'
import { placeFor } from './thread-events.ts'

const message: ProtocolPlace = { channel: 'messages', namespace: ['model:1'] }
const nested: ProtocolPlace = { channel: 'messages', namespace: ['tools:1', 'model:2'] }
const values: ProtocolPlace = { channel: 'values', namespace: ['tools:1'] }
const node: ProtocolPlace = { channel: 'lifecycle', name: 'node', namespace: ['model:1'] }
const all = { channels: ['messages', 'tools', 'lifecycle', 'input', 'values'] }
const root = { ...all, namespaces: [[]] }

test('a message is told at its node', () => {
  expect(placeFor(message, [all], 'node')).toEqual(message)
  expect(placeFor(message, [{ ...root, depth: 1 }], 'node')).toEqual(message)
  expect(placeFor(nested, [{ ...root, depth: 1 }], 'node')).toBeUndefined()
})

test('a message is told at its graph to whoever asks for the root alone', () => {
  const alone = { ...root, depth: 0 }
  expect(placeFor(message, [alone], 'node')).toEqual({ ...message, namespace: [] })
  expect(placeFor(nested, [alone], 'node')).toBeUndefined()
})

test.each([
  [['lifecycle', 'messages'], 'the Python SDK'],
  [['lifecycle', 'tools'], 'the Python SDK'],
  [['lifecycle', 'messages', 'tasks', 'tools'], 'the Python SDK'],
])('%j is read at the graph, by %s', (channels) => {
  for (const otherwise of ['node', 'graph'] as const) {
    const event = { ...nested, channel: channels.at(-1) as 'messages' }
    expect(placeFor(event, [{ channels }], otherwise)).toEqual({ ...event, namespace: ['tools:1'] })
    expect(placeFor(node, [{ channels }], otherwise)).toBeUndefined()
    expect(placeFor(values, [{ channels: [...channels, 'values'] }], otherwise)).toEqual(values)
  }
})

test.each([[['messages', 'lifecycle', 'input', 'values']], [['tools', 'lifecycle', 'input']]])(
  '%j is read at the node, by the JavaScript SDK',
  (channels) => {
    for (const otherwise of ['node', 'graph'] as const) {
      const event = { ...nested, channel: channels[0] as 'messages' }
      expect(placeFor(event, [{ channels }], otherwise)).toEqual(event)
      expect(placeFor(node, [{ channels }], otherwise)).toEqual(node)
    }
  },
)

test('what is scoped to a namespace is read at the node', () => {
  const scoped = { channels: ['messages', 'lifecycle'], namespaces: [['tools:1']] }
  expect(placeFor(nested, [scoped], 'graph')).toEqual(nested)
})

test('of other subscriptions the language of the graphs decides', () => {
  const channels = ['messages']
  expect(placeFor(nested, [{ channels }], 'node')).toEqual(nested)
  expect(placeFor(nested, [{ channels }], 'graph')).toEqual({ ...nested, namespace: ['tools:1'] })
  expect(placeFor(node, [{ channels: ['lifecycle'] }], 'node')).toEqual(node)
  expect(placeFor(node, [{ channels: ['lifecycle'] }], 'graph')).toBeUndefined()
  expect(placeFor(node, [{ channels: ['custom:node'] }], 'node')).toBeUndefined()
})
