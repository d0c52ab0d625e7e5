import { expect, test } from 'vitest'
import { drawingOf, isTaken } from './drawing.ts'

const graph = {
  nodes: ['__start__', 'a', 'in:x', 'in:y', '__end__'].map((id) => ({ id })),
  edges: [
    { source: '__start__', target: 'a' },
    { source: 'a', target: 'in:x', conditional: true, data: 'yes' },
    { source: 'in:x', target: 'in:y' },
    { source: 'in:y', target: '__end__' },
  ],
}

test('a graph within the graph is a box around its nodes', () => {
  const { nodes } = drawingOf(graph as never, new Set(['in']))
  expect(nodes.map(({ id, kind, parent }) => [id, kind, parent])).toEqual([
    ['__start__', 'start', undefined],
    ['a', 'node', undefined],
    ['in', 'group', undefined],
    ['in:x', 'node', 'in'],
    ['in:y', 'node', 'in'],
    ['__end__', 'end', undefined],
  ])
})

test('folded, it is one node with the edges of those in it', () => {
  const { nodes, edges } = drawingOf(graph as never, new Set())
  expect(nodes.map(({ id, inner }) => [id, inner])).toEqual([
    ['__start__', 0],
    ['a', 0],
    ['in', 2],
    ['__end__', 0],
  ])
  expect(edges.map(({ id, isConditional, label }) => [id, isConditional, label])).toEqual([
    ['__start__→a', false, undefined],
    ['a→in', true, 'yes'],
    ['in→__end__', false, undefined],
  ])
})

test('an edge into the box is taken when the run went into it', () => {
  const { edges } = drawingOf(graph as never, new Set(['in']))
  const taken = new Set(['__start__→a', 'a→in', 'in:x→in:y'])
  expect(edges.map((edge) => isTaken(edge, taken))).toEqual([true, true, true, false])
})
