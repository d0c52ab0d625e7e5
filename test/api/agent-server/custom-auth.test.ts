import { expect, test } from 'vitest'
import { clientOf, startAgentServer } from '../../support/agent/agent-server.ts'
import { forAllTests } from '../../support/running.ts'

const server = forAllTests(() => startAgentServer({ projectName: 'owned', apiKeys: ['the-key'] }))

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(server.url + path, { headers })

const input = { question: 'why?' }

test('a refusal of the project has its status, its headers and its words', async () => {
  const refused = await get('/assistants/agent')
  expect(refused.status).toBe(401)
  expect(refused.headers.get('www-authenticate')).toBe('Bearer')
  expect(await refused.json()).toEqual({ detail: 'Who are you?' })
  expect((await get('/assistants/agent', { authorization: 'Bearer late' })).status).toBe(402)
})

test('where the auth itself fails nobody comes in, and nothing is told', async () => {
  const failed = await get('/assistants/agent', { authorization: 'Bearer broken' })
  expect(failed.status).toBe(500)
  expect(await failed.text()).not.toContain('list of users')
})

test('the keys of the server are not asked', async () => {
  expect((await get('/threads/search', { 'x-api-key': 'the-key' })).status).toBe(401)
  await expect(clientOf(server.url, 'alice').threads.search()).resolves.toEqual([])
})

test('a browser may read why it was refused', async () => {
  const refused = await get('/assistants/agent', { origin: 'http://app.test' })
  expect(refused.headers.get('access-control-allow-origin')).toBe('*')
})

test('a graph knows who asked, and answers do not show what the project knows of them', async () => {
  const alice = clientOf(server.url, 'alice')
  const { thread_id } = await alice.threads.create()
  const run = await alice.runs.create(thread_id, 'agent', { input })
  expect(await alice.runs.join(thread_id, run.run_id)).toMatchObject({
    caller: {
      langgraph_auth_user: { identity: 'alice', permissions: ['ask'], token: 'the-token-of-alice' },
      langgraph_auth_user_id: 'alice',
      langgraph_auth_permissions: ['ask'],
    },
  })
  const shown = JSON.stringify([run, await alice.runs.list(thread_id)])
  expect(shown).toContain('langgraph_auth_user_id')
  expect(shown).not.toContain('the-token-of-alice')
})

test('the agent that a graph is by itself can be talked to by everyone who may run it', async () => {
  const authorization = 'Bearer alice'
  const card = await get('/a2a/agent/.well-known/agent-card.json', { authorization })
  expect(await card.json()).toMatchObject({ name: 'agent' })
  const parts = [{ kind: 'data', data: { question: 'why?' } }]
  const message = { kind: 'message', messageId: 'm', role: 'user', parts }
  const sent = await fetch(`${server.url}/a2a/agent`, {
    method: 'POST',
    headers: { authorization },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'message/send', params: { message } }),
  })
  const { result } = (await sent.json()) as { result: { id: string; status: object } }
  expect(result.status).toMatchObject({ state: 'completed' })
  const asBert = await fetch(`${server.url}/a2a/agent`, {
    method: 'POST',
    headers: { authorization: 'Bearer bert' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tasks/get', params: { id: result.id } }),
  })
  expect(await asBert.json()).toHaveProperty('error')
})

test('what the project knows of who made a run is kept until the run is over', async () => {
  const { store } = server
  const client = clientOf(server.url, 'alice')
  const { thread_id } = await client.threads.create()
  const known = async (run_id: string) =>
    (await store.runs.get(run_id))?.kwargs.config.configurable as Record<string, unknown>
  const later = { input, afterSeconds: 600 }
  const waiting = await client.runs.create(thread_id, 'agent', later)
  expect(await known(waiting.run_id)).toMatchObject({ langgraph_auth_user: { identity: 'alice' } })
  await client.runs.cancel(thread_id, waiting.run_id, true)
  const done = await client.runs.create(thread_id, 'agent', { input })
  await client.runs.join(thread_id, done.run_id)
  for (const { run_id } of [waiting, done]) {
    expect(await known(run_id)).not.toHaveProperty('langgraph_auth_user')
    expect(await known(run_id)).toMatchObject({ langgraph_auth_user_id: 'alice' })
  }
})

test('the streams of a run do not show it either', async () => {
  const streamMode = ['debug', 'checkpoints', 'tasks', 'events'] as const
  const stream = clientOf(server.url, 'bert').runs.stream(null, 'agent', {
    input,
    // The graph would tell it by itself.
    interruptBefore: '*',
    streamMode: [...streamMode],
  })
  const events: unknown[] = []
  for await (const event of stream) events.push(event)
  expect(events.length).toBeGreaterThan(1)
  expect(JSON.stringify(events)).not.toContain('the-token-of-bert')
})

test('a client cannot say who it is by itself', async () => {
  const configurable = { langgraph_auth_user: { identity: 'bob' }, langgraph_auth_user_id: 'bob' }
  const guest = clientOf(server.url, 'guest')
  const values = await guest.runs.wait(null, 'agent', { input, config: { configurable } })
  expect(values).toMatchObject({
    caller: { langgraph_auth_user: { identity: 'guest' }, langgraph_auth_user_id: 'guest' },
  })
})

test('what a handler writes into a run, its thread and its assistant is kept', async () => {
  const alice = clientOf(server.url, 'alice')
  const run = await alice.runs.create(null, 'agent', { input, onCompletion: 'keep' as never })
  expect(run.metadata).toMatchObject({ owner: 'alice' })
  expect((await alice.threads.get(run.thread_id)).metadata).toMatchObject({ owner: 'alice' })
  const { metadata } = await alice.assistants.create({ graphId: 'agent' })
  expect(metadata).toEqual({ owner: 'alice' })
})

test('Studio comes in with a key of the server, and with its header alone it does not', async () => {
  const studio = { 'x-auth-scheme': 'langsmith' }
  expect((await get('/assistants/agent', studio)).status).toBe(401)
  expect((await get('/assistants/agent', { ...studio, 'x-api-key': 'wrong' })).status).toBe(401)
  const headers = { ...studio, 'x-api-key': 'the-key' }
  const created = await fetch(`${server.url}/threads`, { method: 'POST', headers, body: '{}' })
  expect(await created.json()).toMatchObject({ metadata: { owner: 'langgraph-studio-user' } })
})
