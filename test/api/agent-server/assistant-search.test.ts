import { beforeAll, expect, it } from 'vitest'
import { type RunningAgentServer, startAgentServer } from '../../support/agent/agent-server.ts'
import { forAllTests } from '../../support/running.ts'
import { strictClock } from '../../support/strict-clock.ts'

let assistants: RunningAgentServer['client']['assistants']

const ALL = { metadata: { suite: 'search' } }

const server = forAllTests(() => startAgentServer({ clock: strictClock() }))
beforeAll(async () => {
  assistants = server.client.assistants
  const records = [
    { graphId: 'slow', name: 'Zebra', metadata: { team: 'a', tags: ['x', 'y'] } },
    { graphId: 'agent', name: 'ant', metadata: { team: 'a', at: { n: 1, m: 2 } } },
    { graphId: 'agent', name: 'Antelope', metadata: { team: 'b' }, description: 'Runs' },
  ]
  for (const { metadata, ...record } of records) {
    await assistants.create({ ...record, metadata: { suite: 'search', ...metadata } })
  }
})

async function names(query: Parameters<typeof assistants.search>[0]): Promise<string[]> {
  const found = await assistants.search({ ...ALL, ...query, includePagination: false })
  return found.map(({ name }) => name)
}

it('answers the newest first', async () => {
  expect(await names({})).toEqual(['Antelope', 'ant', 'Zebra'])
})

it('sorts as asked', async () => {
  expect(await names({ sortBy: 'created_at', sortOrder: 'asc' })).toEqual([
    'Zebra',
    'ant',
    'Antelope',
  ])
  expect(await names({ sortBy: 'name', sortOrder: 'asc' })).toEqual(['Antelope', 'Zebra', 'ant'])
  expect(await names({ sortBy: 'graph_id' })).toEqual(['Zebra', 'Antelope', 'ant'])
  const byId = await assistants.search({ ...ALL, sortBy: 'assistant_id', sortOrder: 'asc' })
  const ids = byId.map(({ assistant_id }) => assistant_id)
  expect(ids).toEqual(ids.toSorted())
})

it('finds by graph, by a part of the name and by what the metadata contains', async () => {
  expect(await names({ graphId: 'agent' })).toEqual(['Antelope', 'ant'])
  expect(await names({ name: 'ANT' })).toEqual(['Antelope', 'ant'])
  expect(await names({ metadata: { team: 'a' } })).toEqual(['ant', 'Zebra'])
  expect(await names({ metadata: { at: { n: 1 } } })).toEqual(['ant'])
  expect(await names({ metadata: { tags: ['y'] } })).toEqual(['Zebra'])
  expect(await names({ metadata: { team: 'b' }, graphId: 'agent', name: 'e' })).toEqual([
    'Antelope',
  ])
  expect(await names({ metadata: { team: 'c' } })).toEqual([])
})

it('counts what it would find', async () => {
  expect(await assistants.count(ALL)).toBe(3)
  expect(await assistants.count({ ...ALL, graphId: 'agent' })).toBe(2)
  expect(await assistants.count({ ...ALL, name: 'zebra' })).toBe(1)
  expect(await assistants.count({ metadata: { created_by: 'system' }, graphId: 'ask' })).toBe(1)
})

it('says where the next page begins, and how many there are', async () => {
  const first = await assistants.search({ ...ALL, limit: 2, includePagination: true })
  expect(first.assistants.map(({ name }) => name)).toEqual(['Antelope', 'ant'])
  expect(first.next).toBe('2')
  const last = await assistants.search({ ...ALL, limit: 2, offset: 2, includePagination: true })
  expect(last.assistants.map(({ name }) => name)).toEqual(['Zebra'])
  expect(last.next).toBeNull()
  const { headers } = await search({ ...ALL, limit: 1 })
  expect(headers.get('x-pagination-total')).toBe('3')
  const exposed = headers.get('access-control-expose-headers')?.toLowerCase()
  expect(exposed).toMatch(/x-pagination-total.*x-pagination-next/)
})

it('answers the selected fields only', async () => {
  const found = await assistants.search({ ...ALL, select: ['name', 'description'], limit: 1 })
  expect(found).toEqual([{ name: 'Antelope', description: 'Runs' }])
})

it('takes a request that says nothing', async () => {
  const { status, body } = await search({})
  expect(status).toBe(200)
  expect(body.length).toBeGreaterThan(3)
})

it.each([
  [{ limit: 0 }, 'limit'],
  [{ limit: 1001 }, 'limit'],
  [{ offset: -1 }, 'offset'],
  [{ sort_by: 'config' }, 'sort_by'],
  [{ sort_order: 'up' }, 'sort_order'],
  [{ select: ['secret'] }, 'select'],
  [{ metadata: [] }, 'metadata'],
  [{ name: 1 }, 'name'],
])('refuses %j', async (request, field) => {
  const { status, body } = await search(request)
  expect(status).toBe(422)
  expect(body.detail[0].loc.slice(0, 2)).toEqual(['body', field])
})

async function search(request: object) {
  const response = await fetch(`${server.url}/assistants/search`, {
    method: 'POST',
    headers: { origin: 'https://studio.example.com' },
    body: JSON.stringify(request),
  })
  const { status, headers } = response
  // biome-ignore lint/suspicious/noExplicitAny: any JSON
  return { status, headers, body: (await response.json()) as any }
}
