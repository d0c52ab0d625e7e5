import { describe, expect, it } from 'vitest'
import type { Graph } from './langgraph/graph.ts'
import { asLaterLine } from './older-line.ts'

const QUESTION = { value: '?', when: 'during', resumable: true, ns: ['ask:1'] }

/** A graph that streams these, and what it was asked for. */
function streaming(chunks: unknown[]) {
  const asked: object[] = []
  const stream = async (_: unknown, options: object) => {
    asked.push(options)
    return (async function* () {
      yield* chunks
    })()
  }
  return { graph: { stream } as unknown as Graph, asked }
}

async function read(graph: Graph, options: object): Promise<unknown[]> {
  const told: unknown[] = []
  for await (const chunk of await graph.stream({}, options)) told.push(chunk)
  return told
}

it('leaves later lines as they are', () => {
  const { graph } = streaming([])
  const { stream } = graph
  expect(asLaterLine(graph, '1.3.0').stream).toBe(stream)
  expect(asLaterLine(graph, '1.2.9').stream).not.toBe(stream)
})

it.each([
  ['exit', false],
  ['sync', true],
  ['async', true],
])('says the durability %s in the words of the line', async (durability, checkpointDuring) => {
  const { graph, asked } = streaming([])
  await read(asLaterLine(graph, '0.3.12'), { streamMode: ['tasks'], durability, runId: 'r' })
  expect(asked).toEqual([{ streamMode: ['tasks'], runId: 'r', checkpointDuring }])
})

it('tells interrupts and results of tasks as later lines do', async () => {
  const asks = [{ ...QUESTION, interrupt_id: 'i' }]
  const chunks = [
    ['values', { a: 1, __interrupt__: asks }],
    [['ask:1'], 'updates', { __interrupt__: asks }],
    ['updates', { node: { __interrupt__: 'of the project' } }],
    [
      'tasks',
      {
        id: 't',
        result: [
          ['a', 1],
          ['b', 1],
          ['b', 2],
        ],
        interrupts: asks,
      },
    ],
    ['checkpoints', { values: {}, tasks: [{ id: 't', interrupts: asks }] }],
    ['custom', null],
  ]
  const told = [{ id: 'i', value: '?' }]
  expect(await read(asLaterLine(streaming(chunks).graph, '0.3.12'), { streamMode: [] })).toEqual([
    ['values', { a: 1, __interrupt__: told }],
    [['ask:1'], 'updates', { __interrupt__: told }],
    ['updates', { node: { __interrupt__: 'of the project' } }],
    ['tasks', { id: 't', result: { a: 1, b: { $writes: [1, 2] } }, interrupts: told }],
    ['checkpoints', { values: {}, tasks: [{ id: 't', interrupts: told }] }],
    ['custom', null],
  ])
})

it('finds in `debug` the modes that the line lacks', async () => {
  const task = { type: 'task', step: 1, payload: { id: 't', interrupts: [QUESTION] } }
  const checkpoint = { type: 'checkpoint', step: 1, payload: { values: {}, tasks: [] } }
  const { graph, asked } = streaming([
    ['debug', checkpoint],
    ['debug', task],
    ['values', {}],
  ])
  const older = asLaterLine(graph, '0.3.5')
  const told = { id: 't', interrupts: [{ value: '?' }] }
  expect(await read(older, { streamMode: ['tasks', 'checkpoints', 'values'] })).toEqual([
    ['checkpoints', checkpoint.payload],
    ['tasks', told],
    ['values', {}],
  ])
  expect(asked).toEqual([{ streamMode: ['debug', 'values'] }])
  expect(await read(older, { streamMode: ['debug', 'tasks'] })).toEqual([
    ['debug', checkpoint],
    ['tasks', told],
    ['debug', { ...task, payload: told }],
    ['values', {}],
  ])
})

describe('with version v2', () => {
  const at = (checkpoint_id: string) => ({ configurable: { checkpoint_id } })
  const checkpoint = (id: string, parent?: string) => ({
    config: at(id),
    ...(parent && { parentConfig: at(parent) }),
    metadata: { step: 0, source: 'loop' },
  })
  const place = (id: string) => ({ id, step: 0, source: 'loop' })
  const options = { streamMode: ['values', 'updates'], version: 'v2' }

  it('tells the place of a checkpoint before its values', async () => {
    const { graph, asked } = streaming([
      ['checkpoints', checkpoint('input')],
      ['values', { a: 1 }],
      ['checkpoints', checkpoint('one', 'input')],
      ['updates', { node: { a: 2 } }],
      [['child:1'], 'values', { b: 1 }],
      [['child:1'], 'checkpoints', checkpoint('two')],
    ])
    expect(await read(asLaterLine(graph, '1.1.0'), options)).toEqual([
      ['checkpoints', { ...place('one'), parent_id: 'input' }],
      ['values', { a: 1 }],
      ['updates', { node: { a: 2 } }],
      [['child:1'], 'checkpoints', place('two')],
      [['child:1'], 'values', { b: 1 }],
    ])
    expect(asked).toEqual([{ ...options, streamMode: ['values', 'updates', 'checkpoints'] }])
  })

  it('tells values that have none at once, and those of another graph by themselves', async () => {
    const { graph } = streaming([
      ['values', { a: 1 }],
      [['child:1'], 'checkpoints', checkpoint('two')],
      ['values', { __interrupt__: [] }],
      ['values', { a: 2 }],
    ])
    expect(await read(asLaterLine(graph, '0.4.9'), options)).toEqual([
      ['values', { a: 1 }],
      ['values', { __interrupt__: [] }],
      ['values', { a: 2 }],
    ])
  })

  it('tells the last values of a graph that fails', async () => {
    const failing = async () =>
      (async function* () {
        yield ['values', { a: 1 }]
        throw new Error('on purpose')
      })()
    const graph = { stream: failing } as unknown as Graph
    const chunks = await asLaterLine(graph, '1.1.0').stream({}, options)
    const told: unknown[] = []
    const reading = (async () => {
      for await (const chunk of chunks) told.push(chunk)
    })()
    await expect(reading).rejects.toThrow('on purpose')
    expect(told).toEqual([['values', { a: 1 }]])
  })
})
