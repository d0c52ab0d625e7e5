import { beforeAll, expect, test } from 'vitest'
import { startAgentServer } from '../../support/agent/agent-server.ts'
import { forAllTests } from '../../support/running.ts'

let thread_id: string

interface Steps extends Record<string, unknown> {
  steps?: string[]
}

const server = forAllTests(startAgentServer)
beforeAll(async () => {
  thread_id = (await server.client.threads.create()).thread_id
  for (const label of ['a', 'b']) {
    await server.client.runs.wait(thread_id, 'slow', {
      input: { label, count: 2, ms: 1 },
      metadata: { label },
    })
  }
})

const history = (options?: Parameters<typeof server.client.threads.getHistory>[1]) =>
  server.client.threads.getHistory<Steps>(thread_id, options)

async function get(query: string): Promise<Response> {
  return fetch(`${server.url}/threads/${thread_id}/history${query}`)
}

async function post(body: unknown, thread = thread_id): Promise<Response> {
  const url = `${server.url}/threads/${thread}/history`
  return fetch(url, { method: 'POST', body: JSON.stringify(body) })
}

test('the history is every checkpoint, newest first, each with its parent', async () => {
  const states = await history({ limit: 100 })
  expect(states).toHaveLength(10)
  expect(states[0]?.values.steps).toEqual(['a:1', 'a:2', 'b:1', 'b:2'])
  expect(states.at(-1)?.parent_checkpoint).toBeNull()
  for (const [i, state] of states.entries()) {
    if (i === 0) continue
    expect(states[i - 1]?.parent_checkpoint).toEqual(state.checkpoint)
  }
  expect(states[0]).toEqual(await server.client.threads.getState(thread_id))
})

test('a page ends at its limit, and the next one begins before its last', async () => {
  const all = await history({ limit: 100 })
  const first = await history({ limit: 4 })
  expect(first).toEqual(all.slice(0, 4))
  const { checkpoint } = first.at(-1) ?? expect.fail('an empty page')
  const forms = [
    { configurable: { thread_id, checkpoint_id: checkpoint.checkpoint_id } },
    checkpoint,
    checkpoint.checkpoint_id,
  ]
  for (const before of forms) {
    expect(await history({ limit: 4, before: before as never })).toEqual(all.slice(4, 8))
  }
  const query = `?limit=4&before=${checkpoint.checkpoint_id}`
  expect(await (await get(query)).json()).toEqual(all.slice(4, 8))
})

test('without a limit GET answers ten and POST one', async () => {
  expect(await (await get('')).json()).toHaveLength(10)
  expect(await (await post({})).json()).toHaveLength(1)
})

test('metadata choose the checkpoints of a run, or of a kind', async () => {
  const ofFirst = await history({ limit: 100, metadata: { label: 'a' } })
  expect(ofFirst).toHaveLength(5)
  expect(ofFirst[0]?.values.steps).toEqual(['a:1', 'a:2'])
  const inputs = await history({ limit: 100, metadata: { source: 'input', label: 'b' } })
  expect(inputs).toHaveLength(1)
  expect(await history({ metadata: { label: 'c' } })).toEqual([])
})

test('a checkpoint with its id chooses itself', async () => {
  const [, second] = await history()
  const { checkpoint } = second ?? expect.fail('no second checkpoint')
  expect(await history({ checkpoint })).toEqual([second])
})

test('only the selected fields are answered', async () => {
  const states = await (await post({ limit: 2, select: ['next'] })).json()
  const got = await fetch(`${server.url}/threads/${thread_id}/history?limit=2&select=next`)
  expect(await got.json()).toEqual(states)
  expect(states).toEqual([{ next: [] }, { next: ['step'] }])
})

test('a subgraph has a history of its own', async () => {
  const { threads, runs } = server.client
  const thread = await threads.create()
  await runs.wait(thread.thread_id, 'parent', { input: { text: 'a', ask: true } })
  const { tasks } = await threads.getState(thread.thread_id)
  const place = tasks[0]?.checkpoint ?? expect.fail('no checkpoint of the subgraph')
  const { checkpoint_ns } = place as { checkpoint_ns: string }
  const states = await (
    await post({ limit: 9, checkpoint: { checkpoint_ns } }, thread.thread_id)
  ).json()
  expect(states).toMatchObject([{ next: ['inner'] }, { next: ['__start__'] }])
  const unknown = { limit: 9, checkpoint: { checkpoint_ns: 'child:other' } }
  expect(await (await post(unknown, thread.thread_id)).json()).toEqual([])
})

test('a thread that nothing was done with has none', async () => {
  const fresh = await server.client.threads.create()
  expect(await server.client.threads.getHistory(fresh.thread_id)).toEqual([])
})
