import { expect, test } from 'vitest'
import type { Graph } from '../langgraph/graph.ts'
import { type GraphChunk, openStream, toChunk } from './source.ts'

interface Asked {
  how: 'stream' | 'streamEvents'
  options: object
}

/** The part of a graph that is asked, which emits these chunks or callback events. */
function graphOf(emitted: object[], asked: Asked[] = []): Graph {
  async function* all() {
    yield* emitted
  }
  return {
    stream: async (_input: unknown, options: object) => {
      asked.push({ how: 'stream', options })
      return all()
    },
    streamEvents: (_input: unknown, options: object) => {
      asked.push({ how: 'streamEvents', options })
      return all()
    },
  } as unknown as Graph
}

async function emissions(graph: Graph, modes: Parameters<typeof openStream>[3]) {
  const seen: GraphChunk[] = []
  for await (const one of await openStream(graph, {}, { runId: 'root' }, modes))
    seen.push(toChunk(one))
  return seen
}

test('chunks are a mode and a payload, with the namespace in front where subgraphs were asked for', async () => {
  const graph = graphOf([
    ['values', { a: 1 }],
    [['child:1'], 'updates', { b: 2 }],
    [[], 'values', [], { more: true }],
  ])
  expect(await emissions(graph, ['values'])).toEqual([
    { namespace: [], mode: 'values', payload: { a: 1 } },
    { namespace: ['child:1'], mode: 'updates', payload: { b: 2 } },
    { namespace: [], mode: 'values', payload: [] },
  ])
})

const chunk = (run_id: string, data: unknown) => ({
  event: 'on_chain_stream',
  run_id,
  data: { chunk: data },
})

test("of callback events the graph's own chunks are its stream, those of others are events", async () => {
  const ofNode = chunk('node', { answer: 1 })
  const graph = graphOf([chunk('root', ['values', { a: 1 }]), ofNode])
  expect(await emissions(graph, ['values', 'events'])).toEqual([
    { namespace: [], mode: 'values', payload: { a: 1 } },
    { namespace: [], mode: 'events', payload: ofNode },
  ])
})

test('hidden callback events are shown to nobody', async () => {
  const hidden = { event: 'on_chain_start', run_id: 'x', tags: ['langsmith:hidden'] }
  expect(await emissions(graphOf([hidden]), ['events'])).toEqual([])
})

test('the graph runs once, and in the version that clients know', async () => {
  const asked: Asked[] = []
  await emissions(graphOf([], asked), ['values', 'events'])
  await emissions(graphOf([], asked), ['values'])
  expect(asked).toEqual([
    { how: 'streamEvents', options: { runId: 'root', version: 'v2' } },
    { how: 'stream', options: { runId: 'root' } },
  ])
})
