import { expect, test } from 'vitest'
import type { NewEvent } from '../../core/agent/event.ts'
import { type Channel, protocolEventName, protocolPlaceOf } from '../../core/agent/protocol.ts'
import { systemClock } from '../../core/clock.ts'
import type { Graph } from '../../graph/js/langgraph/graph.ts'
import { Transformers, type WriteEvent } from './transformers.ts'

const write: WriteEvent = (channel, namespace, data, { node, name }) => ({
  event: protocolEventName({ channel, namespace, ...(name !== undefined && { name }) }),
  data: JSON.stringify({ namespace, timestamp: 1, ...(node !== undefined && { node }), data }),
  isOfThreadOnly: false,
})

const event = (channel: Channel, data = {}, namespace: string[] = []) =>
  write(channel, namespace, data, {})

function start(...transformers: object[]): Transformers {
  const graph = { streamTransformers: transformers.map((one) => () => one) } as unknown as Graph
  const started = Transformers.of(graph, write, systemClock)
  if (!started) throw new Error('There are no transformers.')
  return started
}

const shown = (events: NewEvent[]) =>
  events.map(({ event, data }) => {
    const { channel, namespace = [] } = protocolPlaceOf(event) ?? {}
    return [[channel, ...namespace].join('|'), JSON.parse(data).data]
  })

test('those of LangChain itself, and graphs without any, cost nothing', () => {
  const native = { __native: true, init: () => ({}), process: () => true }
  const graphs = [{}, { streamTransformers: [] }, { streamTransformers: [() => native] }]
  for (const graph of graphs) {
    expect(Transformers.of(graph as unknown as Graph, write, systemClock)).toBeUndefined()
  }
})

test('what one of them does not want is not told, but for what the server goes by', () => {
  const seen: string[] = []
  const process = ({ method }: { method: string }) => void seen.push(method)
  const all = start({ init: () => ({}), process }, { init: () => ({}), process: () => true })
  const events = (['values', 'checkpoints', 'lifecycle', 'input'] as const).map((one) => event(one))
  expect(all.onEvents(events)).toEqual(events.slice(1))
  expect(seen).toEqual(['values', 'checkpoints', 'lifecycle'])
})

test('what one pushes is seen by the others, and stands before the event that it was made of', () => {
  const seen: string[] = []
  let push: (namespace: string[], event: object) => void = () => {}
  const maker = {
    init: () => undefined,
    onRegister: (emitter: { push: typeof push }) => {
      push = emitter.push
    },
    process: ({ method }: { method: string }) => {
      if (method !== 'tools') return true
      for (const made of ['updates', 'custom:a b', 'own', 'custom', 'lifecycle']) {
        push(['child:1'], { method: made, params: { data: { n: 1n } } })
      }
      push([], { method: 'lifecycle', params: { data: { event: 'completed' } } })
      return true
    },
  }
  const reader = {
    init: () => ({}),
    process: ({ method }: { method: string }) => {
      seen.push(method)
      return true
    },
  }
  const told = start(maker, reader).onEvents([event('tools', { id: 1 })])
  expect(shown(told)).toEqual([
    ['updates|child:1', { n: 1 }],
    ['custom|child:1', { name: 'a b', payload: { n: 1 } }],
    ['custom|child:1', { name: 'own', payload: { n: 1 } }],
    ['custom|child:1', { payload: { n: 1 } }],
    ['lifecycle|child:1', { n: 1 }],
    ['tools', { id: 1 }],
  ])
  expect(seen).toHaveLength(7)
})

test('the end waits for what they still do; a promise that fails is left out', async () => {
  const { promise, resolve } = Promise.withResolvers<string>()
  const all = start({
    init: () => ({ late: promise, never: Promise.reject(new Error('no')), plain: 1 }),
    process: () => true,
    finalize: () => setImmediate(() => resolve('done')),
  })
  expect(shown(await all.finish())).toEqual([['custom', { name: 'late', payload: 'done' }]])
  expect(all.fail(new Error('late'))).toEqual([])
})

test('when the run fails they are told, whatever they do then', () => {
  const told: unknown[] = []
  const broken = {
    init: () => ({}),
    process: () => true,
    fail: () => {
      throw new Error('broken')
    },
  }
  const all = start(broken, { ...broken, fail: (error: Error) => told.push(error.message) })
  expect(all.fail(new Error('why'))).toEqual([])
  expect(told).toEqual(['why'])
  expect(all.onEvents([event('values')])).toHaveLength(1)
})
