import { Client } from '@langchain/langgraph-sdk'
import { beforeAll, describe, expect, test } from 'vitest'
import { DEFAULT_LIMITS } from '../../../src/agent-server/limits.ts'
import { FIRST_PAGE, NEWEST_FIRST } from '../../../src/agent-server/operations/pagination.ts'
import { searchThreads } from '../../../src/agent-server/threads/thread-search.ts'
import type { Authorize } from '../../../src/core/agent/authorization.ts'
import { openAgentStore } from '../../../src/storage/agent/store.ts'
import { agentDatabase } from '../../support/agent/agent-database.ts'
import { aState, aThread, LATER } from '../../support/agent/agent-records.ts'
import { startAgentServer } from '../../support/agent/agent-server.ts'
import { forAllTests } from '../../support/running.ts'
import { strictClock } from '../../support/strict-clock.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

/** With `x-user` one sees the threads of that owner, with `x-tag` those that have the tag. */
const byHeader: Authorize = async (caller, event, value) => {
  const { 'x-user': owner, 'x-tag': tag } = caller.headers
  if (event.resource !== 'threads') return undefined
  if (event.action === 'create' && owner) Object.assign(value.metadata as object, { owner })
  if (tag) return { tags: { $contains: tag } }
  return owner ? { owner } : undefined
}

const ids: Record<string, string> = {}

/** Made one after the other: `a` is the oldest. */
const THREADS = {
  a: { kind: 'note', tags: ['red', 'blue'], nested: { deep: { n: 1, m: 2 } } },
  b: { kind: 'note', tags: ['red'], count: 1 },
  c: { kind: 'list', count: '1', flag: true, nothing: null },
  d: { kind: 'list', flag: 1, text: 'x'.repeat(500) },
}

const server = forAllTests(() => startAgentServer({ authorize: byHeader, clock: strictClock() }))
beforeAll(async () => {
  for (const [name, metadata] of Object.entries(THREADS)) {
    ids[name] = (await server.client.threads.create({ metadata })).thread_id
  }
  await server.client.runs.wait(id('a'), 'ask', { input: { question: 'why?' } })
  const input = { messages: [{ role: 'human', content: 'hello' }] }
  await server.client.runs.wait(id('b'), 'agent', { input })
})

function id(name: string): string {
  return ids[name] ?? expect.fail(`no thread ${name}`)
}

type Query = NonNullable<Parameters<Client['threads']['search']>[0]>

async function names(query: Query, client = server.client): Promise<string[]> {
  const found = await client.threads.search({ limit: 100, ...query })
  const nameOf = new Map(Object.entries(ids).map(([name, thread_id]) => [thread_id, name]))
  return found.map(({ thread_id }) => nameOf.get(thread_id) ?? thread_id)
}

async function post(path: string, body: object): Promise<Response> {
  const headers = { 'content-type': 'application/json' }
  return fetch(`${server.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
}

test('threads come newest first', async () => {
  expect(await names({})).toEqual(['d', 'c', 'b', 'a'])
})

test.each([
  [{ kind: 'note' }, ['d', 'c']],
  [[{ kind: 'note' }, { flag: true }], ['d']],
  [[{ tags: ['blue'] }], ['d', 'c', 'b']],
])('%j is excluded, from a search and from a count', async (exclude_metadata, left) => {
  const found = (await (await post('/threads/search', { exclude_metadata })).json()) as {
    thread_id: string
  }[]
  expect(found.map(({ thread_id }) => thread_id)).toEqual(left.map(id))
  const count = await post('/threads/count', { exclude_metadata })
  expect(await count.json()).toBe(left.length)
})

test.each([{}, [], [{}], 'note', ['note'], Array(101).fill({ a: 1 })])(
  'to exclude %j is refused',
  async (exclude_metadata) => {
    for (const path of ['/threads/search', '/threads/count']) {
      const response = await post(path, { exclude_metadata })
      expect(response.status).toBe(422)
      expect(JSON.stringify(await response.json())).toContain('exclude_metadata')
    }
  },
)

test.each<[string, Record<string, unknown>, string[]]>([
  ['a plain value', { kind: 'note' }, ['b', 'a']],
  ['two plain values', { kind: 'list', flag: true }, ['c']],
  ['a value of its very type', { count: 1 }, ['b']],
  ['a text that looks like a number', { count: '1' }, ['c']],
  ['null', { nothing: null }, ['c']],
  ['a long text', { text: 'x'.repeat(500) }, ['d']],
  ['a part of a list', { tags: ['red'] }, ['b', 'a']],
  ['a part of a nested object', { nested: { deep: { n: 1 } } }, ['a']],
  ['a plain value and a part', { kind: 'note', tags: ['blue'] }, ['a']],
  ['what a run noted', { graph_id: 'agent' }, ['b']],
  ['what no thread has', { kind: 'poem' }, []],
  ['six values', { kind: 'list', count: '1', flag: true, nothing: null, a: 1, b: 2 }, []],
])('metadata find by %s', async (_what, metadata, expected) => {
  expect(await names({ metadata })).toEqual(expected)
  expect(await server.client.threads.count({ metadata })).toBe(expected.length)
})

test('threads are found by ids, status and values', async () => {
  expect(await names({ ids: [id('a'), id('c')] })).toEqual(['c', 'a'])
  expect(await names({ ids: [] })).toEqual([])
  expect(await names({ status: 'interrupted' })).toEqual(['a'])
  expect(await names({ values: { question: 'why?' } })).toEqual(['a'])
  expect(await names({ values: { messages: [{ type: 'ai' }] } })).toEqual(['b'])
  expect(await names({ values: { question: 'how?' } })).toEqual([])
  expect(await server.client.threads.count({ status: 'idle' })).toBe(3)
  expect(await server.client.threads.count({ values: { question: 'why?' } })).toBe(1)
  expect(await server.client.threads.count()).toBe(4)
})

test('threads are sorted by any of the fields', async () => {
  expect(await names({ sortBy: 'created_at', sortOrder: 'asc' })).toEqual(['a', 'b', 'c', 'd'])
  expect(await names({ sortBy: 'updated_at' })).toEqual(['b', 'a', 'd', 'c'])
  expect(await names({ sortBy: 'updated_at', metadata: { kind: 'list' } })).toEqual(['d', 'c'])
  expect(await names({ sortBy: 'status' })).toEqual(['a', 'd', 'c', 'b'])
  const byId = Object.keys(ids).sort((one, other) => (id(one) < id(other) ? -1 : 1))
  expect(await names({ sortBy: 'thread_id', sortOrder: 'asc' })).toEqual(byId)
  const body = { sort_by: 'state_updated_at', sort_order: 'desc', select: ['thread_id'] }
  expect(await (await post('/threads/search', body)).json()).toEqual(
    ['b', 'a', 'd', 'c'].map((name) => ({ thread_id: id(name) })),
  )
})

test('a page says how many there are and where the next one begins', async () => {
  const first = await post('/threads/search', { limit: 3 })
  expect(first.headers.get('x-pagination-total')).toBe('4')
  expect(first.headers.get('x-pagination-next')).toBe('3')
  const last = await post('/threads/search', { limit: 3, offset: 3 })
  expect(await last.json()).toMatchObject([{ thread_id: id('a') }])
  expect(last.headers.get('x-pagination-total')).toBe('4')
  expect(last.headers.get('x-pagination-next')).toBeNull()
  const beyond = await post('/threads/search', { limit: 3, offset: 9 })
  expect(await beyond.json()).toEqual([])
  expect(beyond.headers.get('x-pagination-total')).toBe('4')
})

test('only the selected fields are answered', async () => {
  const [thread] = await server.client.threads.search({ ids: [id('a')], select: ['status'] })
  expect(thread).toEqual({ status: 'interrupted' })
  const select = ['thread_id', 'values', 'interrupts'] as const
  const [full] = await server.client.threads.search({ ids: [id('a')], select: [...select] })
  expect(full).toMatchObject({ thread_id: id('a'), values: { question: 'why?' } })
  expect(Object.values(full?.interrupts ?? {})).toMatchObject([[{ value: { question: 'why?' } }]])
})

test('single values are extracted, and what is missing is null', async () => {
  const [thread] = await server.client.threads.search({
    ids: [id('b')],
    select: ['thread_id'],
    extract: {
      last: 'values.messages[-1].content',
      tag: 'metadata.tags[0]',
      none: 'values.messages[7].content',
    },
  })
  expect(thread).toEqual({
    thread_id: id('b'),
    extracted: { last: 'echo: hello', tag: 'red', none: null },
  })
})

test('threads are found by a text, whatever its case', async () => {
  const search = async (body: object) => {
    const response = await post('/threads/search', { select: ['thread_id'], ...body })
    const nameOf = new Map(Object.entries(ids).map(([name, thread_id]) => [thread_id, name]))
    const found = (await response.json()) as { thread_id: string }[]
    return [
      found.map((one) => nameOf.get(one.thread_id)),
      response.headers.get('x-pagination-total'),
    ]
  }
  expect(await search({ text: 'HELLO' })).toEqual([['b'], '1'])
  expect(await search({ text: 'WHY?' })).toEqual([['a'], '1'])
  expect(await search({ text: 'hello', status: 'interrupted' })).toEqual([[], '0'])
  expect(await search({ text: 'human' })).toEqual([[], '0'])
  expect((await post('/threads/search', { text: ' ' })).status).toBe(422)
  const all = await post('/threads/search', { text: 'hello' })
  expect(all.headers.get('x-search-looked-at')).toBeNull()
})

test('a thread that changes hands while a text is searched is not found, and each part is reserved', async () => {
  const store = await openAgentStore(await agentDatabase(temporaryFolder()))
  const { threads } = store
  const insert = async () => {
    const thread = aThread({ metadata: { owner: 'alice' } })
    await threads.insert(thread)
    const state = aState({ values: { text: `${'x'.repeat(50_000)} hello` } })
    await threads.update(thread.thread_id, { updated_at: LATER, state })
    return thread.thread_id
  }
  const [kept, given, dropped] = [await insert(), await insert(), await insert()]
  const reserved: number[] = []
  const findText: typeof threads.findText = async (...asked) => {
    const found = await threads.findText(...asked)
    expect([reserved.length, found.ids.length]).toEqual([1, 3])
    await threads.update(given, { updated_at: LATER, metadata: { owner: 'bob' } })
    await threads.drop(dropped, 1)
    return found
  }
  const changing = { ...store, threads: { ...threads, findText } }
  const found = await searchThreads(
    { store: changing, authorize: byHeader, limits: DEFAULT_LIMITS },
    { identity: 'alice', permissions: [], headers: { 'x-user': 'alice' } },
    { ...FIRST_PAGE, ...NEWEST_FIRST, select: [], extract: {}, text: 'HELLO' },
    { atLeast: (bytes) => reserved.push(bytes) },
  )
  expect(found).toMatchObject({ threads: [{ thread_id: kept }], total: 1 })
  expect(reserved.map((bytes) => Math.floor(bytes / 50_000))).toEqual([3, 1])
  await store.close()
})

test('an excerpt is answered where it is selected', async () => {
  const select = ['excerpt']
  const counts = { input_tokens: null, output_tokens: null }
  const [talk] = (await (
    await post('/threads/search', { ids: [id('b')], select })
  ).json()) as object[]
  expect(talk).toEqual({
    excerpt: { first: 'hello', last: 'echo: hello', question: null, ...counts },
  })
  const [asks] = (await (
    await post('/threads/search', { ids: [id('a')], select })
  ).json()) as object[]
  expect(asks).toEqual({ excerpt: { first: 'why?', last: null, question: 'why?', ...counts } })
  const [whole] = (await (await post('/threads/search', { ids: [id('b')] })).json()) as object[]
  expect(whole).not.toHaveProperty('excerpt')
})

test('what cannot be extracted is refused with its place', async () => {
  const bad = await post('/threads/search', { extract: { a: 'status', b: 'values.x' } })
  expect(bad.status).toBe(422)
  expect(await bad.json()).toMatchObject({ detail: [{ loc: ['body', 'extract', 'a'] }] })
  const many = Object.fromEntries(Array.from({ length: 11 }, (_, i) => [`k${i}`, 'values']))
  expect((await post('/threads/search', { extract: many })).status).toBe(422)
})

describe('what the caller may not see', () => {
  function clientFor(headers: Record<string, string>): Client {
    const options = { apiKey: null, callerOptions: { maxRetries: 0 } }
    return new Client({ apiUrl: server.url, defaultHeaders: headers, ...options })
  }

  test('is neither found nor counted', async () => {
    const alice = clientFor({ 'x-user': 'alice' })
    const { thread_id } = await alice.threads.create({ metadata: { kind: 'note' } })
    expect(await names({}, alice)).toEqual([thread_id])
    expect(await names({ metadata: { kind: 'note' } }, alice)).toEqual([thread_id])
    expect(await names({ metadata: { owner: 'bob' } }, alice)).toEqual([])
    expect(await alice.threads.count({ metadata: { kind: 'note' } })).toBe(1)
    expect(await alice.threads.count({ metadata: { owner: 'bob' } })).toBe(0)
    const found = await fetch(`${server.url}/threads/search`, {
      method: 'POST',
      headers: { 'x-user': 'alice' },
      body: JSON.stringify({ text: 'hello' }),
    })
    expect(await found.json()).toEqual([])
    await alice.threads.delete(thread_id)
  })

  test('is told by lists too', async () => {
    const red = clientFor({ 'x-tag': 'red' })
    expect(await names({}, red)).toEqual(['b', 'a'])
    expect(await names({ metadata: { tags: ['blue'] } }, red)).toEqual(['a'])
    expect(await red.threads.count()).toBe(2)
  })
})

test('the thread of a stateless run is not found once it was dropped', async () => {
  await server.client.runs.wait(null, 'slow', { input: { count: 1, ms: 1 } })
  expect(await names({ metadata: { graph_id: 'slow' } })).toEqual([])
  expect(await server.client.threads.count()).toBe(4)
})

test('changed metadata are found by what they are now', async () => {
  const { thread_id } = await server.client.threads.create({ metadata: { stage: 'new' } })
  await server.client.threads.update(thread_id, { metadata: { stage: 'old' } })
  expect(await names({ metadata: { stage: 'new' } })).toEqual([])
  expect(await names({ metadata: { stage: 'old' } })).toEqual([thread_id])
  await server.client.threads.delete(thread_id)
  expect(await names({ metadata: { stage: 'old' } })).toEqual([])
})
