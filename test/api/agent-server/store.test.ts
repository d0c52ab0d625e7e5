/** The store through its API, with each line of the official SDK. */
import { Client } from '@langchain/langgraph-sdk'
import { Client as Client112 } from 'sdk-1-12'
import { Client as OldClient } from 'sdk-2'
import { beforeAll, describe, expect, it, test } from 'vitest'
import { startAgentServer } from '../../support/agent/agent-server.ts'
import { eventually } from '../../support/eventually.ts'
import { forAllTests } from '../../support/running.ts'

const LINES: Record<string, typeof Client> = {
  '1.12.4': Client112 as unknown as typeof Client,
  '1.15.0': Client,
  '2.0.0': OldClient as unknown as typeof Client,
}

const MINUTE = 60_000

let now = Date.parse('2026-11-20T12:00:00.000Z')
const clock = { now: () => now }

const server = forAllTests(() => startAgentServer({ projectName: 'memory', clock }))
/** A project without `store`. */
const plain = forAllTests(startAgentServer)

describe.each(Object.entries(LINES))('with the SDK %s', (version, Sdk) => {
  let store: Client['store']
  const root = `sdk-${version.replaceAll('.', '-')}`
  beforeAll(() => {
    const callerOptions = { maxRetries: 0 }
    store = new Sdk({ apiUrl: server.url, apiKey: null, callerOptions }).store
  })

  it('an item is put, read, changed and removed', async () => {
    const namespace = [root, 'notes']
    expect(await store.getItem(namespace, 'k')).toBeNull()
    await store.putItem(namespace, 'k', { text: 'a', deep: { list: [1] } })
    const made = await store.getItem(namespace, 'k')
    expect(made).toMatchObject({ namespace, key: 'k', value: { text: 'a', deep: { list: [1] } } })
    now += 1
    await store.putItem(namespace, 'k', { text: 'b' })
    const changed = await store.getItem(namespace, 'k')
    expect(changed).toMatchObject({ value: { text: 'b' }, createdAt: made?.createdAt })
    expect(changed?.updatedAt).not.toBe(made?.updatedAt)
    await store.deleteItem(namespace, 'k')
    await store.deleteItem(namespace, 'k')
    expect(await store.getItem(namespace, 'k')).toBeNull()
  })

  it('items are found by namespace, filter and page, the newest first', async () => {
    for (const n of [1, 2, 3]) {
      now += 1
      await store.putItem([root, 'found', `u${n}`], 'k', { n, kind: n === 2 ? 'even' : 'odd' })
    }
    const found = async (options?: Parameters<typeof store.searchItems>[1]) => {
      const { items } = await store.searchItems([root, 'found'], options)
      return items.map(({ value }) => value.n)
    }
    expect(await found()).toEqual([3, 2, 1])
    expect(await found({ limit: 1, offset: 1 })).toEqual([2])
    expect(await found({ filter: { kind: 'odd' } })).toEqual([3, 1])
    expect(await found({ filter: { n: { $gte: 2, $ne: 3 } } })).toEqual([2])
    expect((await store.searchItems([root, 'found', 'u1'])).items).toHaveLength(1)
    expect((await store.searchItems([root, 'nothing'])).items).toEqual([])
  })

  it('items are found by what they mean', async () => {
    const namespace = [root, 'meant']
    await store.putItem(namespace, 'cats', { text: 'a cat with a car, a cat and a cat' })
    await store.putItem(namespace, 'pets', { text: 'cat dog', kind: 'pets' })
    await store.putItem(namespace, 'notes', { notes: [{ text: 'nothing' }, { text: 'my car' }] })
    await store.putItem(namespace, 'hidden', { text: 'cat' }, { index: false })
    await store.putItem(namespace, 'other', { text: 'dog', title: 'cat' }, { index: ['title'] })
    const find = async (query: string, filter?: Record<string, unknown>) => {
      const { items } = await store.searchItems(namespace, { query, ...(filter && { filter }) })
      return items.map(({ key, score }) => [key, Number((score ?? 9).toFixed(1))])
    }
    expect((await find('cat')).slice(0, 3)).toEqual([
      ['other', 1],
      ['cats', 0.9],
      ['pets', 0.7],
    ])
    expect((await find('car'))[0]).toEqual(['notes', 1])
    expect((await find('cat')).map(([key]) => key)).not.toContain('hidden')
    expect(await find('cat', { kind: 'pets' })).toEqual([['pets', 0.7]])
  })

  it('namespaces are listed', async () => {
    for (const path of ['a.x', 'a.y.x', 'b.x']) {
      await store.putItem([root, 'ns', ...path.split('.')], 'k', {})
    }
    const list = async (options: Parameters<typeof store.listNamespaces>[0]) => {
      const { namespaces } = await store.listNamespaces(options)
      return namespaces.map((namespace) => namespace.slice(2).join('.'))
    }
    const prefix = [root, 'ns']
    expect(await list({ prefix })).toEqual(['a.x', 'a.y.x', 'b.x'])
    expect(await list({ prefix, suffix: ['y', 'x'] })).toEqual(['a.y.x'])
    expect(await list({ prefix, maxDepth: 3 })).toEqual(['a', 'b'])
    expect(await list({ prefix, limit: 1, offset: 1 })).toEqual(['a.y.x'])
    expect(await list({ prefix: [root, '*', 'b'] })).toEqual(['b.x'])
  })

  it('an item goes when its time is up, unless it is read', async () => {
    const namespace = [root, 'ttl']
    await store.putItem(namespace, 'default', {})
    await store.putItem(namespace, 'short', {}, { ttl: 10 })
    await store.putItem(namespace, 'kept', {}, { ttl: null })
    now += 9 * MINUTE
    await store.getItem(namespace, 'short', { refreshTtl: true })
    now += 9 * MINUTE
    expect(await store.getItem(namespace, 'short', { refreshTtl: false })).not.toBeNull()
    now += 2 * MINUTE
    expect(await store.getItem(namespace, 'short')).toBeNull()
    await store.searchItems(namespace, { refreshTtl: false })
    now += 41 * MINUTE
    const left = await store.searchItems(namespace)
    expect(left.items.map(({ key }) => key)).toEqual(['kept'])
  })
})

test('what has outlived its time is removed by and by', async () => {
  await server.client.store.putItem(['swept'], 'k', { text: 'cat' }, { ttl: 1 })
  now += 2 * MINUTE
  // Looking from before its end: only what is removed is not there.
  const reading = { now: now - 90_000, isRefreshed: false }
  const read = () => server.store.items.get({ namespace: ['swept'], key: 'k' }, reading)
  await eventually(read).toBeUndefined()
})

test('without an index a query is passed over', async () => {
  const { store } = plain.client
  await store.putItem(['p'], 'k', { text: 'cat' })
  const { items } = await store.searchItems(['p'], { query: 'cat' })
  expect(items).toMatchObject([{ key: 'k' }])
  expect(items[0]).not.toHaveProperty('score')
})

test('an item without a time of its own is kept for good where the project says nothing', async () => {
  const { store } = plain.client
  await store.putItem(['p'], 'old', {})
  const far = { now: Date.now() + 1e12, isRefreshed: false }
  expect(await plain.store.items.get({ namespace: ['p'], key: 'old' }, far)).toBeDefined()
})

const ask = (method: string, path: string, body?: unknown) =>
  fetch(`${server.url}/store/${path}`, {
    method,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })

const good = { namespace: ['a'], key: 'k', value: {} }

test.each([
  ['no label', { ...good, namespace: [] }, /at least one label/],
  ['an empty label', { ...good, namespace: ['a', ''] }, /cannot be empty or contain periods/],
  ['a period', { ...good, namespace: ['a.b'] }, /contain periods.*a\.b/],
  ['LangGraph’s root', { ...good, namespace: ['langgraph', 'x'] }, /Root label/],
  ['a label that is no text', { ...good, namespace: [1] }, /string/],
  ['a very long label', { ...good, namespace: ['x'.repeat(2_000)] }, /too long/],
  ['half a character', { ...good, namespace: ['\ud800'] }, /Unicode/],
  ['an empty key', { ...good, key: '' }, /key is empty/],
  ['a zero character', { ...good, key: 'a\u0000' }, /U\+0000/],
  ['a value that is a list', { ...good, value: [] }, /object/],
  ['a time of nothing', { ...good, ttl: 0 }, /ttl|>0/],
])('a put with %s is refused', async (_what, body, message) => {
  const response = await ask('PUT', 'items', body)
  expect(response.status).toBe(422)
  expect(JSON.stringify(await response.json())).toMatch(message)
})

test('other requests with a bad namespace or filter are refused too', async () => {
  const refused = [
    ask('GET', 'items?namespace=a..b&key=k'),
    ask('GET', 'items?key=k'),
    ask('DELETE', 'items', { key: 'k' }),
    ask('POST', 'items/search', { namespace_prefix: ['a.b'] }),
    ask('POST', 'items/search', { filter: { a: { $like: 'x' } } }),
    ask('POST', 'items/search', { filter: { a: { $in: 'x' } } }),
    ask('POST', 'namespaces', { suffix: [''] }),
    ask('POST', 'namespaces', { max_depth: 0 }),
  ]
  for (const response of await Promise.all(refused)) expect(response.status).toBe(422)
})

test('the labels of a namespace may be joined by periods, or come one after the other', async () => {
  await server.client.store.putItem(['joined', 'x'], 'k', {})
  for (const query of ['namespace=joined.x', 'namespace=joined&namespace=x']) {
    const response = await ask('GET', `items?key=k&${query}`)
    expect(await response.json()).toMatchObject({ key: 'k' })
  }
})

test('embeddings that fail, or answer something else, are a refusal that says so', async () => {
  const { store } = server.client
  await expect(store.putItem(['e'], 'k', { text: 'broken' })).rejects.toThrow(
    /HTTP 503.*embeddings failed: (Runtime)?Error: the model is away/,
  )
  await expect(store.putItem(['e'], 'k', { text: 'short' })).rejects.toThrow(
    /HTTP 400.*a vector of 1 numbers, where store.index.dims says 4/,
  )
  await expect(store.searchItems(['e'], { query: 'broken' })).rejects.toThrow(/HTTP 503/)
  expect(await store.getItem(['e'], 'k')).toBeNull()
})

test('writes of one item at once leave one of them', async () => {
  const { store } = server.client
  const values = [1, 2, 3, 4, 5, 6, 7, 8]
  await Promise.all(values.map((n) => store.putItem(['race'], 'k', { n, text: 'cat' })))
  const { items } = await store.searchItems(['race'], { query: 'cat' })
  expect(items).toHaveLength(1)
  expect(values).toContain(items[0]?.value.n)
})
