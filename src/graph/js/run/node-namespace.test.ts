import { expect, test } from 'vitest'
import { nodeNamespace, ToolPlaces } from './node-namespace.ts'

const at = (...parts: string[]) => ({ langgraph_checkpoint_ns: parts.join('|') })

test.each([
  ['LangGraph 1.7 tells at the graph', ['tools:1']],
  ['LangGraph before 1.7 tells at the node', ['tools:1', 'model:2']],
])('a message is at its node: %s', (_, told) => {
  expect(nodeNamespace(told, at('tools:1', 'model:2'))).toEqual(['tools:1', 'model:2'])
})

test('a message without a place stays where it is told', () => {
  expect(nodeNamespace(['tools:1'], {})).toEqual(['tools:1'])
})

test('a tool is at its node from its start to its end', () => {
  const places = new ToolPlaces()
  places.onStart({ toolCallId: 'a' }, at('tools:1', 'tools:2'))
  for (const event of ['on_tool_start', 'on_tool_event', 'on_tool_end']) {
    expect(places.namespace(['tools:1'], { event, toolCallId: 'a' })).toEqual([
      'tools:1',
      'tools:2',
    ])
  }
  expect(places.namespace(['tools:1'], { toolCallId: 'a' })).toEqual(['tools:1'])
})

test('two graphs may have a call with the same id, and tools that no model calls have none', () => {
  const places = new ToolPlaces()
  places.onStart({ toolCallId: 'a' }, at('tools:1', 'tools:3'))
  places.onStart({ toolCallId: 'a' }, at('tools:2', 'tools:4'))
  places.onStart({ name: 'look' }, at('look:5'))
  const end = { event: 'on_tool_end', toolCallId: 'a' }
  expect(places.namespace(['tools:2'], end)).toEqual(['tools:2', 'tools:4'])
  expect(places.namespace(['tools:1'], end)).toEqual(['tools:1', 'tools:3'])
  expect(places.namespace([], { name: 'look', event: 'on_tool_start' })).toEqual(['look:5'])
})
