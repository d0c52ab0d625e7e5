import { expect, test } from 'vitest'
import type { ProtocolPlace } from '../core/agent/protocol.ts'
import { attributionFor, placeFor } from './protocol-filter.ts'

const message: ProtocolPlace = { channel: 'messages', namespace: ['model:1'] }
const nested: ProtocolPlace = { channel: 'messages', namespace: ['tools:1', 'model:2'] }
const all = { channels: ['messages', 'tools', 'lifecycle', 'values'] }
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

test('a message is told at its graph to whoever reads so, whatever else is asked for', () => {
  expect(placeFor(message, [all], 'graph')).toEqual({ ...message, namespace: [] })
  expect(placeFor(nested, [all], 'graph')).toEqual({ ...nested, namespace: ['tools:1'] })
  const values: ProtocolPlace = { channel: 'values', namespace: ['tools:1'] }
  expect(placeFor(values, [all], 'graph')).toEqual(values)
})

test('a node is no child where graphs are read', () => {
  const node: ProtocolPlace = { channel: 'lifecycle', name: 'node', namespace: ['model:1'] }
  expect(placeFor(node, [all], 'node')).toEqual(node)
  expect(placeFor(node, [all], 'graph')).toBeUndefined()
  expect(placeFor(node, [{ channels: ['custom:node'] }], 'node')).toBeUndefined()
})

test.each([
  ['langgraph-sdk-py/0.4.14', 'graph'],
  ['Python/3.12 websockets/15.0.1', 'graph'],
  ['Mozilla/5.0', 'node'],
  [undefined, 'node'],
])('%s reads by %s', (userAgent, attribution) => {
  expect(attributionFor(userAgent)).toBe(attribution)
})
