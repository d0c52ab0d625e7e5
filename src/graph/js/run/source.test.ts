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

/** As in LangGraph, one class has `stream` and what its chunks come from. */
class Pregel {
  readonly config = { recursionLimit: 7 }
  readonly asked: [how: string, options: object][] = []

  async *_streamIterator(_input: unknown, options: object) {
    this.asked.push(['_streamIterator', options])
    yield ['values', {}]
  }

  async stream(_input: unknown, options: object) {
    this.asked.push(['stream', options])
    return [] as unknown as AsyncIterable<unknown>
  }
}

class Overridden extends Pregel {
  override stream(input: unknown, options: object) {
    return super.stream(input, options)
  }
}

test('LangGraph is asked for its chunks without what LangChain puts around them', async () => {
  const graph = new Pregel()
  const seen = await emissions(graph as unknown as Graph, ['values'])
  expect(seen).toEqual([{ namespace: [], mode: 'values', payload: {} }])
  expect(graph.asked).toEqual([['_streamIterator', { recursionLimit: 7, runId: 'root' }]])
})

test.each([
  ['of a class', new Overridden()],
  ['of an object', Object.assign(new Pregel(), { stream: new Pregel().stream })],
])("the stream %s that is not LangGraph's own is what is asked", async (_whose, graph) => {
  await openStream(graph as unknown as Graph, {}, { runId: 'root' }, ['values'])
  expect(graph.asked).toEqual([['stream', { runId: 'root' }]])
})

test.each([
  ['is told', {}, { model: 'small' }],
  ['does not replace another', { model: 'large' }, { model: 'large' }],
])('the model of the configuration %s in the metadata', async (_what, metadata, told) => {
  const graph = new Pregel()
  const options = { runId: 'root', configurable: { model: 'small' }, metadata }
  const stream = await openStream(graph as unknown as Graph, {}, options, ['values'])
  for await (const _ of stream) break
  expect(graph.asked).toEqual([['_streamIterator', expect.objectContaining({ metadata: told })]])
})
