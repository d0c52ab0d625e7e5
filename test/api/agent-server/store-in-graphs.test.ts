/** The store as graphs have it: the same items as the API's, with LangGraph's own methods. */
import { expect, test } from 'vitest'
import { startAgentServer } from '../../support/agent/agent-server.ts'
import { forAllTests } from '../../support/running.ts'

const server = forAllTests(() => startAgentServer({ projectName: 'memory' }))

interface Answered {
  answers: unknown[]
  embedded: number
}

async function call(...calls: [string, ...unknown[]][]): Promise<unknown[]> {
  const values = await server.client.runs.wait(null, 'calls', { input: { calls } })
  return (values as unknown as Answered).answers
}

test('a node reaches the store in each way that LangGraph has, in subgraphs too', async () => {
  const { found } = (await server.client.runs.wait(null, 'ways', { input: {} })) as {
    found: string[]
  }
  expect(found).toEqual(['config', 'runtime', 'getStore', 'subgraph'])
  const { items } = await server.client.store.searchItems(['ways'])
  expect(items.map(({ key }) => key).toSorted()).toEqual(found.toSorted())
})

test('the server’s store takes the place of one that a graph was compiled with', async () => {
  await server.client.runs.wait(null, 'own', { input: {} })
  expect(await server.client.store.getItem(['ways'], 'own')).not.toBeNull()
})

test('graphs read what clients wrote, and clients what graphs wrote', async () => {
  const { store } = server.client
  await store.putItem(['both'], 'client', { from: 'client', n: 1 })
  const [item, missing, , gone] = await call(
    ['get', ['both'], 'client'],
    ['get', ['both'], 'nobody'],
    ['put', ['both'], 'graph', { from: 'graph', at: 5 }],
    ['delete', ['both'], 'client'],
  )
  expect(item).toMatchObject({ key: 'client', namespace: ['both'], value: { n: 1 } })
  expect([missing, gone]).toEqual([null, null])
  expect(await store.getItem(['both'], 'client')).toBeNull()
  expect((await store.getItem(['both'], 'graph'))?.value).toEqual({ from: 'graph', at: 5 })
})

test('graphs search by filter and meaning, choose what is embedded, and list namespaces', async () => {
  const answers = await call(
    ['put', ['g', 'a'], 'cats', { text: 'cat', n: 1 }],
    ['put', ['g', 'b'], 'hidden', { text: 'cat', n: 2 }, false],
    ['put', ['g', 'b'], 'titled', { text: 'dog', title: 'cat car', n: 3 }, ['title']],
    ['search', ['g'], { query: 'cat' }],
    ['search', ['g'], { filter: { n: { $lte: 2 } }, limit: 5 }],
    ['listNamespaces', { prefix: ['g'] }],
  )
  const [meant, filtered, namespaces] = answers.slice(3)
  expect(meant).toMatchObject([
    { key: 'cats', score: expect.closeTo(1, 2) },
    { key: 'titled', score: expect.closeTo(0.71, 1) },
  ])
  expect((filtered as { key: string }[]).map(({ key }) => key).toSorted()).toEqual([
    'cats',
    'hidden',
  ])
  expect(namespaces).toEqual([
    ['g', 'a'],
    ['g', 'b'],
  ])
})

test('what is begun together is done together, with one call of the embeddings', async () => {
  const calls = ['one cat', 'two dog', 'three car'].map((text) => ['put', ['t'], text, { text }])
  const input = { calls, together: true }
  const done = (await server.client.runs.wait(null, 'calls', { input })) as unknown as Answered
  expect(done.embedded).toBe(1)
  const { items } = await server.client.store.searchItems(['t'])
  expect(items).toHaveLength(3)
})

test.each([
  [['put', ['a.b'], 'k', {}], /contain periods|hold no period/],
  [['put', ['langgraph'], 'k', {}], /cannot be "langgraph"/],
  [['put', [], 'k', {}], /amespace/],
  [['put', ['a'], 'k', null], /The value of an item is (an object|a mapping)/],
  [['search', ['a'], { filter: { n: { $near: 1 } } }], /no operator "\$near"/],
  [['put', ['a'], 'k', { text: 'broken' }], /the model is away/],
] as [[string, ...unknown[]], RegExp][])(
  'a graph’s %j fails with a reason',
  async (bad, reason) => {
    await expect(call(bad)).rejects.toThrow(reason)
  },
)
