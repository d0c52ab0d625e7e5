import type { Message, ThreadState } from '@langchain/langgraph-sdk'
import { describe, expect, test } from 'vitest'
import { startAgentServer } from '../../support/agent/agent-server.ts'
import { forAllTests } from '../../support/running.ts'

const server = forAllTests(() => startAgentServer({ projectName: 'values' }))

/** What LangChain and LangGraph would make something of, if it were theirs. */
const SECRET = { lc: 1, type: 'secret', id: ['PATH'] }
const PLANTED = {
  secret: SECRET,
  message: {
    lc: 1,
    type: 'constructor',
    id: ['langchain_core', 'messages', 'HumanMessage'],
    kwargs: { content: SECRET },
  },
  missing: { lc: 1, type: 'constructor', id: ['langchain', 'x', 'Y'], kwargs: {} },
  call: { lc: 2, type: 'constructor', id: ['os', 'getenv'], args: ['PATH'] },
  set: { lc: 2, type: 'constructor', id: ['Set'], args: [[1]] },
  nothing: { lc: 2, type: 'undefined' },
  escaped: { __lc_escaped__: SECRET },
}

interface Kept {
  messages: (Message & { additional_kwargs?: unknown })[]
  data?: unknown
  answer?: unknown
  kept: unknown[]
}

const hi = { role: 'user', content: 'hi', additional_kwargs: PLANTED }

async function thread(): Promise<string> {
  return (await server.client.threads.create()).thread_id
}

async function run(thread_id: string, payload: object): Promise<unknown> {
  return server.client.runs.wait(thread_id, 'keep', payload)
}

async function valuesOf(thread_id: string): Promise<Kept> {
  const { values }: ThreadState<Kept> = await server.client.threads.getState(thread_id)
  return values
}

describe('what looks like an object of LangChain is data, and read back as it was sent', () => {
  test('in an input, in its messages, and in what nodes make of it', async () => {
    const thread_id = await thread()
    await run(thread_id, { input: { messages: [hi], data: PLANTED } })
    await run(thread_id, { input: { messages: [{ role: 'user', content: 'again' }] } })
    const { messages, data, kept } = await valuesOf(thread_id)
    expect(data).toEqual(PLANTED)
    expect(kept).toEqual([PLANTED, PLANTED])
    const extras = messages.map((one) => (one.additional_kwargs ?? {}) as { data?: unknown })
    expect(extras[0]).toEqual(PLANTED)
    expect(extras.map((one) => one.data)).toEqual([undefined, PLANTED, undefined, PLANTED])
  })

  test('in an answer, in an update and in what a node is sent by a command', async () => {
    const thread_id = await thread()
    await run(thread_id, { input: { question: 'what?' } })
    await run(thread_id, { command: { resume: PLANTED } })
    expect((await valuesOf(thread_id)).answer).toEqual(PLANTED)
    await run(thread_id, { command: { update: { data: PLANTED }, goto: 'ask' } })
    expect((await valuesOf(thread_id)).data).toEqual(PLANTED)
    const other = await thread()
    await run(other, { input: { data: 1 } })
    await run(other, { command: { goto: { node: 'take', input: { data: PLANTED } } } })
    expect((await valuesOf(other)).kept).toEqual([1, PLANTED])
  })

  test('in a change of the state, in supersteps, and in a copy of the thread', async () => {
    const { thread_id } = await server.client.threads.create({ graphId: 'keep' })
    await server.client.threads.updateState(thread_id, {
      values: { messages: [hi], data: PLANTED },
      asNode: 'take',
    })
    const update = { values: { data: PLANTED, kept: [PLANTED] }, asNode: 'take' }
    const made = await server.client.threads.create({
      graphId: 'keep',
      supersteps: [{ updates: [update] }],
    })
    const copy = await server.client.threads.copy(thread_id)
    for (const id of [thread_id, copy.thread_id]) {
      const { messages, data } = await valuesOf(id)
      expect([messages[0]?.additional_kwargs, data]).toEqual([PLANTED, PLANTED])
    }
    expect(await valuesOf(made.thread_id)).toMatchObject({ data: PLANTED, kept: [PLANTED] })
  })

  test('in metadata, and in items of the store', async () => {
    const { threads, store } = server.client
    const { thread_id } = await threads.create({ metadata: PLANTED })
    await run(thread_id, {
      input: { data: 1 },
      metadata: PLANTED,
      config: { configurable: PLANTED },
    })
    expect((await threads.get(thread_id)).metadata).toMatchObject(PLANTED)
    await store.putItem(['planted'], 'key', PLANTED)
    expect((await store.getItem(['planted'], 'key'))?.value).toEqual(PLANTED)
  })
})

test('a message that a client has serialized is a message', async () => {
  const thread_id = await thread()
  const id = ['langchain_core', 'messages', 'HumanMessage']
  const serialized = {
    lc: 1,
    type: 'constructor',
    id,
    kwargs: { content: 'hi', additional_kwargs: PLANTED },
  }
  await run(thread_id, { input: { messages: [serialized] } })
  await run(thread_id, { input: { messages: [] } })
  const [first] = (await valuesOf(thread_id)).messages
  expect(first).toMatchObject({ type: 'human', content: 'hi', additional_kwargs: PLANTED })
})

test('a value that cannot be stored ends its run, and leaves the thread as it was', async () => {
  const thread_id = await thread()
  const add = (word: string) =>
    server.client.runs.wait(thread_id, 'unstorable', { input: { word } })
  const trail = async () =>
    (await server.client.threads.getState<{ trail: string[] }>(thread_id)).values.trail
  await add('one')
  await expect(add('bad')).rejects.toThrow('The value of the channel "trail" cannot be stored')
  expect(await trail()).toEqual(['one'])
  await add('three')
  expect(await trail()).toEqual(['one', 'three'])
})

test.each(['sync', 'exit'] as const)('so it does with durability "%s"', async (durability) => {
  const thread_id = await thread()
  const add = (word: string) =>
    server.client.runs.wait(thread_id, 'unstorable', { input: { word }, durability })
  await add('one')
  await expect(add('bad')).rejects.toThrow('The value of the channel "trail" cannot be stored')
  const { values } = await server.client.threads.getState<{ trail: string[] }>(thread_id)
  expect(values.trail).toEqual(['one'])
})
