import { Runnable } from '@langchain/core/runnables'
import {
  Annotation,
  entrypoint,
  type LangGraphRunnableConfig,
  START,
  StateGraph,
  task,
} from '@langchain/langgraph'
import { expect, test } from 'vitest'
import type { Graph } from '../langgraph/graph.ts'
import { NodeWork, WORK_KEY, watchNodes } from './node-work.ts'

const State = Annotation.Root({ a: Annotation<number> })

/** What a node waits for. */
function gate() {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { passed: promise, open: () => resolve() }
}

/** Begins to run the graph and aborts it once `begun`; settles when its stream is over. */
async function abortOnce(begun: Promise<void>, graph: unknown, work: NodeWork): Promise<void> {
  const controller = new AbortController()
  void begun.then(() => controller.abort())
  const options = { configurable: { [WORK_KEY]: work }, signal: controller.signal }
  const read = async () => {
    for await (const _ of await (graph as Graph).stream({ a: 1 }, options));
  }
  await expect(read()).rejects.toThrow(/abort/i)
}

async function hasEnded(work: NodeWork): Promise<boolean> {
  const soon = new Promise<boolean>((resolve) => setImmediate(() => resolve(false)))
  return Promise.race([work.ended().then(() => true), soon])
}

/** Checks that the work ends with the node, and not before. */
async function expectSeen(build: (node: () => Promise<object>) => unknown): Promise<void> {
  const [begun, end] = [gate(), gate()]
  const work = new NodeWork()
  const graph = build(async () => {
    begun.open()
    await end.passed
    return { a: 2 }
  })
  watchNodes(graph as Graph)
  await abortOnce(begun.passed, graph, work)
  expect(await hasEnded(work)).toBe(false)
  end.open()
  await work.ended()
}

function oneNode(node: (state: { a: number }, config: LangGraphRunnableConfig) => Promise<object>) {
  return new StateGraph(State).addNode('node', node).addEdge(START, 'node').compile()
}

test('the code of a node that goes on after an abort is seen until it ends', () =>
  expectSeen((node) => oneNode(node)))

test('so is that of a node of a subgraph', () =>
  expectSeen((node) =>
    new StateGraph(State).addNode('child', oneNode(node)).addEdge(START, 'child').compile(),
  ))

test('and that of a graph that a node calls', () =>
  expectSeen((node) => {
    const inner = oneNode(node)
    return oneNode(async (state, config) => inner.invoke(state, config))
  }))

test('and a task of the functional API', () =>
  expectSeen((node) => entrypoint('flow', async () => task('work', node)())))

test('a run without work to see is as it was, and a graph may be watched again', async () => {
  const graph = oneNode(async () => ({ a: 2 }))
  watchNodes(graph as unknown as Graph)
  watchNodes(graph as unknown as Graph)
  expect(await graph.invoke({ a: 1 })).toEqual({ a: 2 })
  const failing = oneNode(async () => {
    throw new RangeError('no')
  })
  const options = { configurable: { [WORK_KEY]: new NodeWork() } }
  await expect(failing.invoke({ a: 1 }, options)).rejects.toThrow(RangeError)
})

/** As the agents of the package `langchain` have their nodes. */
class KeepingNode extends Runnable<{ a: number }, { a: number }> {
  lc_namespace = ['test']
  func: (state: { a: number }) => Promise<{ a: number }>
  #last: { a: number } | undefined

  constructor(func: KeepingNode['func']) {
    super()
    this.func = func
  }

  async invoke(state: { a: number }) {
    this.#last = await this.func(state)
    return this.#last
  }
}

test('a node may write to private fields of its class, and runs at once do not mix', async () => {
  const [first, second] = [gate(), gate()]
  const node = new KeepingNode(async ({ a }) => {
    await (a === 1 ? first : second).passed
    return { a: a + 10 }
  })
  const graph = new StateGraph(State).addNode('node', node).addEdge(START, 'node').compile()
  watchNodes(graph as unknown as Graph)
  const works = [new NodeWork(), new NodeWork()] as const
  const runs = works.map((work, at) =>
    graph.invoke({ a: at + 1 }, { configurable: { [WORK_KEY]: work } }),
  )
  second.open()
  expect(await runs[1]).toEqual({ a: 12 })
  expect(await hasEnded(works[1])).toBe(true)
  expect(await hasEnded(works[0])).toBe(false)
  first.open()
  expect(await runs[0]).toEqual({ a: 11 })
  await works[0].ended()
})
