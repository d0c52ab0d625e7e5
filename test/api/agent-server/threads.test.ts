import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { startAgentServer } from '../../support/agent/agent-server.ts'
import { eventually } from '../../support/eventually.ts'
import { forAllTests } from '../../support/running.ts'

const server = forAllTests(startAgentServer)

test('a fresh thread is idle and holds its metadata', async () => {
  const thread = await server.client.threads.create({ metadata: { topic: 'trains' } })
  expect(thread).toMatchObject({ status: 'idle', metadata: { topic: 'trains' }, interrupts: {} })
  expect(await server.client.threads.get(thread.thread_id)).toEqual(thread)
})

test('a thread may bring its own id', async () => {
  const threadId = randomUUID()
  const thread = await server.client.threads.create({ threadId })
  expect(thread.thread_id).toBe(threadId)
})

test('an id that is taken is a conflict, unless the thread that is there will do', async () => {
  const { thread_id } = await server.client.threads.create({ metadata: { first: true } })
  const again = { threadId: thread_id, metadata: { first: false } }
  await expect(server.client.threads.create(again)).rejects.toThrow(/^HTTP 409: .*already exists/)
  const same = await server.client.threads.create({ ...again, ifExists: 'do_nothing' })
  expect(same.metadata).toEqual({ first: true })
})

test('the state of a fresh thread is empty', async () => {
  const { thread_id } = await server.client.threads.create()
  expect(await server.client.threads.getState(thread_id)).toMatchObject({
    values: {},
    next: [],
    tasks: [],
    checkpoint: null,
  })
})

test('the state after a run is what the graph left, with its checkpoint', async () => {
  const { thread_id } = await server.client.threads.create()
  const input = { messages: [{ role: 'human', content: 'hello' }] }
  await server.client.runs.wait(thread_id, 'agent', { input })
  const state = await server.client.threads.getState<{ messages: { type: string }[] }>(thread_id)
  expect(state.values.messages).toMatchObject([
    { type: 'human', content: 'hello' },
    { type: 'ai', content: 'echo: hello' },
  ])
  expect(state.checkpoint).toMatchObject({ thread_id, checkpoint_ns: '' })
  const thread = await server.client.threads.get(thread_id)
  expect(thread).toMatchObject({ status: 'idle', metadata: { graph_id: 'agent' } })
  expect(thread.values).toEqual(state.values)
})

test('the state of a busy thread is that of the run under way', async () => {
  const { thread_id } = await server.client.threads.create()
  const input = { label: 'a', count: 2, ms: 60_000 }
  const run = await server.client.runs.create(thread_id, 'slow', { input })
  await eventually(async () => (await server.client.threads.getState(thread_id)).next).toEqual([
    'step',
  ])
  expect((await server.client.threads.get(thread_id)).status).toBe('busy')
  await server.client.runs.cancel(thread_id, run.run_id, true)
})

test('subgraphs are part of the state when they are asked for', async () => {
  const { thread_id } = await server.client.threads.create()
  await server.client.runs.wait(thread_id, 'parent', { input: { text: 'a', ask: true } })
  const state = await server.client.threads.getState(thread_id, undefined, { subgraphs: true })
  expect(state.tasks[0]?.state).toMatchObject({ next: ['inner'], values: { text: 'a' } })
})
