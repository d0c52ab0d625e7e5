/** Runs are found over all threads, page by page. */
import { beforeAll, expect, test } from 'vitest'
import { startAgentServer } from '../../support/agent/agent-server.ts'
import { forAllTests } from '../../support/running.ts'
import { strictClock } from '../../support/strict-clock.ts'

const ids: Record<string, { run_id: string; thread_id: string; assistant_id: string }> = {}

const server = forAllTests(() => startAgentServer({ projectName: 'played', clock: strictClock() }))
beforeAll(async () => {
  const graphs = { a: 'steps', b: 'fail', c: 'ask', d: 'steps' }
  for (const [name, graph_id] of Object.entries(graphs)) {
    const { thread_id } = await server.client.threads.create()
    const metadata = { name, of: { team: 'blue', sizes: [1, 2] } }
    const run = await server.client.runs.create(thread_id, graph_id, { input: {}, metadata })
    await server.client.runs.join(thread_id, run.run_id)
    ids[name] = run
  }
})

interface Found {
  metadata: { name: string }
  created_at: string
}

async function search(
  body: object,
  status = 200,
): Promise<{ found: Found[]; next: string | null }> {
  const response = await fetch(`${server.url}/runs/search`, {
    method: 'POST',
    body: JSON.stringify(body),
  })
  expect(response.status).toBe(status)
  return {
    found: (await response.json()) as Found[],
    next: response.headers.get('x-pagination-next'),
  }
}

const NOTHING = {
  ...{ first: null, last: null, question: null },
  ...{ input_tokens: null, output_tokens: null },
}

const names = async (body: object) =>
  (await search(body)).found.map(({ metadata }) => metadata.name).join('')

test('the latest first, with how each went and without what it was asked', async () => {
  expect(await names({})).toBe('dcba')
  const { found } = await search({ status: 'error' })
  expect(found).toEqual([
    {
      ...(await server.client.runs.get(ids.b?.thread_id ?? '', ids.b?.run_id ?? '')),
      kwargs: undefined,
      graph_id: 'fail',
      error: { error: 'RangeError', message: 'failed on purpose' },
      due_at: expect.any(Number),
      started_at: expect.any(Number),
      ended_at: expect.any(Number),
      excerpt: NOTHING,
      is_waiting: false,
    },
  ])
})

test('by a text of its input, its output or its question', async () => {
  expect(await names({ text: 'SURE?' })).toBe('c')
  expect(await names({ text: 'sure', status: 'error' })).toBe('')
  const { found } = await search({ text: 'sure' })
  expect(found).toMatchObject([{ excerpt: { ...NOTHING, last: 'before', question: 'sure?' } }])
  const { thread_id } = ids.c ?? {}
  const input = { messages: [{ role: 'user', content: 'Tell of tea' }] }
  const talk = { input, metadata: { name: 'e' } }
  const { run_id } = await server.client.runs.create(thread_id ?? '', 'talk', talk)
  await server.client.runs.join(thread_id ?? '', run_id)
  const [told] = (await search({ text: 'of TEA' })).found
  expect(told).toMatchObject({ run_id, excerpt: { first: 'Tell of tea', question: null } })
  await server.client.runs.delete(thread_id ?? '', run_id)
})

test('by a text, page by page', async () => {
  const { thread_id = '' } = ids.a ?? {}
  const said: string[] = []
  for (const name of ['f', 'g', 'h']) {
    const input = { messages: [{ role: 'user', content: 'More tea' }] }
    const talk = { input, metadata: { name } }
    const { run_id } = await server.client.runs.create(thread_id, 'talk', talk)
    await server.client.runs.join(thread_id, run_id)
    said.push(run_id)
  }
  const { found, next } = await search({ text: 'more tea', limit: 2 })
  expect(found.map(({ metadata }) => metadata.name)).toEqual(['h', 'g'])
  const last = await search({ text: 'more tea', limit: 2, cursor: next ?? '' })
  expect(last).toMatchObject({ found: [{ metadata: { name: 'f' } }], next: null })
  for (const run_id of said) await server.client.runs.delete(thread_id, run_id)
})

test('by id, status, assistant, thread, metadata, the text of the error and time', async () => {
  expect(await names({ status: 'success' })).toBe('dca')
  expect(await names({ assistant_id: ids.a?.assistant_id })).toBe('da')
  expect(await names({ thread_id: ids.c?.thread_id })).toBe('c')
  expect(await names({ run_id: ids.b?.run_id })).toBe('b')
  expect(await names({ metadata: { of: { sizes: [2] } } })).toBe('dcba')
  expect(await names({ metadata: { name: 'c', of: { team: 'blue' } } })).toBe('c')
  expect(await names({ metadata: { name: 'red' } })).toBe('')
  expect(await names({ error: 'ON Purpose' })).toBe('b')
  expect(await names({ error: 'on%purpose' })).toBe('')
  const { found } = await search({})
  const [, second] = found.map(({ created_at }) => created_at)
  expect(await names({ created_after: second })).toBe('dc')
  expect(await names({ created_before: second })).toBe('ba')
})

test('by whether its thread waits for the answer to its question', async () => {
  const { assistant_id = '' } = ids.c ?? {}
  const { thread_id } = await server.client.threads.create()
  const ask = async (name: string) => {
    const asked = { input: {}, metadata: { name } }
    const { run_id } = await server.client.runs.create(thread_id, assistant_id, asked)
    await server.client.runs.join(thread_id, run_id)
  }
  await ask('e')
  expect((await search({ thread_id })).found).toMatchObject([{ is_waiting: true }])
  expect(await names({ is_waiting: true })).toBe('e')
  expect(await names({ is_waiting: true, status: 'error' })).toBe('')
  expect(await names({ is_waiting: false, status: 'success', thread_id })).toBe('')
  await ask('f')
  expect(await names({ is_waiting: true })).toBe('f')
  expect(await names({ is_waiting: false, thread_id })).toBe('e')
  const { found } = await search({ thread_id })
  expect(found).toMatchObject([{ is_waiting: true }, { is_waiting: false }])
  await server.client.threads.delete(thread_id)
})

test('page by page', async () => {
  const first = await search({ limit: 3 })
  expect(first.found).toHaveLength(3)
  const rest = await search({ limit: 3, cursor: first.next })
  expect(rest.found.map(({ metadata }) => metadata.name)).toEqual(['a'])
  expect(rest.next).toBeNull()
})

test('a first page for a request without a body', async () => {
  const answer = await fetch(`${server.url}/runs/search`, { method: 'POST' })
  expect(answer.status).toBe(200)
  expect(await answer.json()).toEqual((await search({})).found)
})

test('a page of a cursor that is none is refused', async () => {
  expect((await search({ cursor: 'x' }, 422)).found).toMatchObject({
    detail: [{ loc: ['body', 'cursor'], msg: 'Expected a cursor from X-Pagination-Next.' }],
  })
})
