import { expect, test } from 'vitest'
import type { Emission } from '../../../core/agent/host/emission.ts'
import type { ToldEvent, Transformed } from '../../../core/agent/host/run.ts'
import type { Channel } from '../../../core/agent/protocol.ts'
import type { JsonValue } from '../../../core/json.ts'
import type { Graph } from '../langgraph/graph.ts'
import { Transformers } from './transformers.ts'

const KEPT: Channel[] = ['checkpoints', 'lifecycle', 'input']

const event = (method: Channel, data: JsonValue = {}, namespace: string[] = []): ToldEvent => ({
  method,
  namespace,
  timestamp: 1,
  data,
  isKept: KEPT.includes(method),
})

function start(...transformers: object[]): Transformers {
  const graph = { streamTransformers: transformers.map((one) => () => one) } as unknown as Graph
  const started = Transformers.of(graph)
  if (!started) throw new Error('There are no transformers.')
  return started
}

const shown = (told: Transformed) =>
  told.map((one) =>
    typeof one === 'number' ? one : [[one.method, ...one.namespace].join('|'), one.data],
  )

test('those of LangChain itself, and graphs without any, cost nothing', () => {
  const native = { __native: true, init: () => ({}), process: () => true }
  const graphs = [{}, { streamTransformers: [] }, { streamTransformers: [() => native] }]
  for (const graph of graphs) {
    expect(Transformers.of(graph as unknown as Graph)).toBeUndefined()
  }
})

test('what one of them does not want is not told, but for what the server goes by', () => {
  const seen: string[] = []
  const process = ({ method }: { method: string }) => void seen.push(method)
  const all = start({ init: () => ({}), process }, { init: () => ({}), process: () => true })
  const events = (['values', 'checkpoints', 'lifecycle'] as const).map((one) => event(one))
  expect(all.onEvents(events)).toEqual([1, 2])
  expect(seen).toEqual(['values', 'checkpoints', 'lifecycle'])
})

test('they see what the graph emitted as it is', () => {
  const seen: unknown[] = []
  const process = ({ params }: { params: { data: unknown } }) => void seen.push(params.data)
  const all = start({ init: () => ({}), process })
  const emission: Emission = { namespace: [], mode: 'values', payload: { at: 'a text' } }
  const payload = { at: new Date(0) }
  all.note(emission, payload)
  all.onEvents([event('values', emission.payload)], emission)
  all.onEvents([event('values', { other: 1 })])
  expect(seen[0]).toBe(payload)
  expect(seen[1]).toEqual({ other: 1 })
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
    ['custom:a b|child:1', { n: 1 }],
    ['own|child:1', { n: 1 }],
    ['custom|child:1', { n: 1 }],
    ['lifecycle|child:1', { n: 1 }],
    0,
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
  expect(shown(await all.finish())).toEqual([['custom:late', 'done']])
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
  expect(all.fail({ name: 'RangeError', message: 'why' })).toEqual([])
  expect(told).toEqual(['why'])
})
