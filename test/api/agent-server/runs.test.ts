import { expect, test } from 'vitest'
import { startAgentServer } from '../../support/agent/agent-server.ts'
import { forAllTests } from '../../support/running.ts'

const server = forAllTests(startAgentServer)

const say = (content: string) => ({ messages: [{ role: 'human', content }] })

test('a second run waits for the first, and the thread holds both in order', async () => {
  const { client } = server
  const { thread_id } = await client.threads.create()
  await client.runs.create(thread_id, 'agent', { input: say('one') })
  const second = await client.runs.create(thread_id, 'agent', {
    input: say('two'),
    multitaskStrategy: 'enqueue',
  })
  await client.runs.join(thread_id, second.run_id)
  const { values } = await client.threads.getState<{ messages: { content: string }[] }>(thread_id)
  const texts = values.messages.map((message) => message.content)
  expect(texts).toEqual(['one', 'echo: one', 'two', 'echo: two'])
})

test('a run names its thread, assistant and status, and the answer says where it is', async () => {
  const { thread_id } = await server.client.threads.create()
  let found: unknown
  const run = await server.client.runs.create(thread_id, 'agent', {
    input: say('hello'),
    metadata: { user: 'u1' },
    onRunCreated: (created) => {
      found = created
    },
  })
  expect(found).toEqual({ run_id: run.run_id, thread_id })
  expect(run).toMatchObject({
    thread_id,
    status: 'pending',
    multitask_strategy: 'enqueue',
    metadata: { user: 'u1', graph_id: 'agent', created_by: 'system' },
  })
  await server.client.runs.join(thread_id, run.run_id)
  expect(await server.client.runs.get(thread_id, run.run_id)).toMatchObject({
    run_id: run.run_id,
    status: 'success',
  })
})

test('join answers the values of its own run, also when later ones have ended', async () => {
  const { thread_id } = await server.client.threads.create()
  const first = await server.client.runs.create(thread_id, 'slow', { input: { label: 'a', ms: 1 } })
  await server.client.runs.wait(thread_id, 'slow', { input: { label: 'b', ms: 1 } })
  expect(await server.client.runs.join(thread_id, first.run_id)).toMatchObject({
    steps: ['a:1', 'a:2', 'a:3'],
  })
})

test('a graph that throws fails its run and nothing else', async () => {
  const { client } = server
  const { thread_id } = await client.threads.create()
  const input = { reason: 'no luck' }
  const raised = client.runs.wait(thread_id, 'fail', { input })
  await expect(raised).rejects.toThrow('RangeError: no luck')
  const values = await client.runs.wait(thread_id, 'fail', { input, raiseError: false })
  expect(values).toEqual({ __error__: { error: 'RangeError', message: 'no luck' } })
  expect(await client.threads.get(thread_id)).toMatchObject({
    status: 'error',
    error: 'RangeError: no luck',
  })
  expect(await client.runs.wait(null, 'slow', { input: { ms: 1, count: 1 } })).toMatchObject({
    steps: ['run:1'],
  })
})

test('a run may bring its thread into being', async () => {
  const thread_id = '0b0f6f9a-3c1c-4a54-9c1c-1d3f3ad1c001'
  const input = { ms: 1, count: 1 }
  await expect(server.client.runs.wait(thread_id, 'slow', { input })).rejects.toThrow('HTTP 404')
  await server.client.runs.wait(thread_id, 'slow', { input, ifNotExists: 'create' })
  expect((await server.client.threads.get(thread_id)).status).toBe('idle')
})

test('a run can be asked for by the id of its assistant', async () => {
  const assistant = await server.client.assistants.get('agent')
  expect(assistant).toMatchObject({ graph_id: 'agent', name: 'agent', version: 1 })
  expect(await server.client.assistants.get(assistant.assistant_id)).toEqual(assistant)
  const values = await server.client.runs.wait(null, assistant.assistant_id, { input: say('x') })
  expect(values).toHaveProperty('messages')
})

test('a delayed run starts when it is due', async () => {
  const { thread_id } = await server.client.threads.create()
  const begun = Date.now()
  const input = { ms: 1, count: 1 }
  await server.client.runs.wait(thread_id, 'slow', { input, afterSeconds: 0.3 })
  expect(Date.now() - begun).toBeGreaterThanOrEqual(300)
})

test('a run may start from an earlier checkpoint of its thread', async () => {
  const { client } = server
  const { thread_id } = await client.threads.create()
  await client.runs.wait(thread_id, 'slow', { input: { label: 'a', ms: 1, count: 1 } })
  const { checkpoint } = await client.threads.getState(thread_id)
  await client.runs.wait(thread_id, 'slow', { input: { label: 'b', ms: 1, count: 1 } })
  const checkpointId = checkpoint.checkpoint_id ?? ''
  const forked = await client.runs.wait(thread_id, 'slow', {
    input: { label: 'c', ms: 1, count: 1 },
    checkpointId,
  })
  expect(forked).toMatchObject({ steps: ['a:1', 'c:1'] })
  const unknown = { checkpointId: '1f0c5b8e-0000-6000-8000-000000000000' }
  const refused = client.runs.create(thread_id, 'slow', unknown)
  await expect(refused).rejects.toThrow(/HTTP 404: .*no checkpoint/)
})
