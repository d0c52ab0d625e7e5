import { randomUUID } from 'node:crypto'
import type { Checkpoint, ThreadState } from '@langchain/langgraph-sdk'
import { describe, expect, test } from 'vitest'
import { startAgentServer } from '../../support/agent/agent-server.ts'
import { eventually } from '../../support/eventually.ts'
import { forAllTests } from '../../support/running.ts'

const server = forAllTests(startAgentServer)

interface Talk extends Record<string, unknown> {
  messages: { type: string; content: string }[]
}

const say = (content: string) => ({ messages: [{ role: 'human', content }] })

async function talk(...texts: string[]): Promise<string> {
  const { thread_id } = await server.client.threads.create({ metadata: { topic: 'trains' } })
  for (const text of texts) await server.client.runs.wait(thread_id, 'agent', { input: say(text) })
  return thread_id
}

/** A thread whose graph waits, in a subgraph with `isInside`. */
async function waiting({ isInside = false } = {}): Promise<string> {
  const { thread_id } = await server.client.threads.create()
  const [graph, input] = isInside
    ? ['parent', { text: 'a', ask: true }]
    : ['ask', { question: 'why?' }]
  await server.client.runs.wait(thread_id, String(graph), { input })
  return thread_id
}

function contents({ values }: ThreadState<Talk>): string[] {
  return values.messages.map(({ content }) => content)
}

async function call(method: string, path: string, body?: unknown): Promise<Response> {
  const init = body === undefined ? {} : { body: JSON.stringify(body) }
  return fetch(`${server.url}${path}`, { method, ...init })
}

async function checkpointIds(thread_id: string): Promise<string[]> {
  const history = await server.client.threads.getHistory(thread_id, { limit: 100 })
  return history.map(({ checkpoint }) => checkpoint.checkpoint_id ?? '')
}

describe('the state', () => {
  test('at an earlier checkpoint is what it was then, by id and by checkpoint', async () => {
    const { threads } = server.client
    const thread_id = await talk('one', 'two')
    const past = (await threads.getHistory<Talk>(thread_id)).find(
      ({ values, next }) => values.messages?.length === 2 && next.length === 0,
    )
    const { checkpoint } = past ?? expect.fail('no checkpoint after the first run')
    const byId = await threads.getState<Talk>(thread_id, checkpoint.checkpoint_id ?? '')
    expect(contents(byId)).toEqual(['one', 'echo: one'])
    expect(byId.checkpoint).toMatchObject({ thread_id, checkpoint_id: checkpoint.checkpoint_id })
    expect(await threads.getState<Talk>(thread_id, checkpoint)).toEqual(byId)
  })

  test('has only the fields that were selected', async () => {
    const thread_id = await talk('one')
    for (const query of ['select=next&select=created_at', 'select=["next","created_at"]']) {
      const state = await (await call('GET', `/threads/${thread_id}/state?${query}`)).json()
      expect(state).toEqual({ next: [], created_at: expect.any(String) })
    }
    const at = { checkpoint: {}, select: ['next'] }
    const response = await call('POST', `/threads/${thread_id}/state/checkpoint`, at)
    expect(await response.json()).toEqual({ next: [] })
    const key = await call('GET', `/threads/${thread_id}/state?select=values.messages&select=next`)
    const { messages } = (await server.client.threads.getState<Talk>(thread_id)).values
    expect(await key.json()).toEqual({ values: { messages }, next: [] })
  })

  test('of a subgraph is in its task, and can be asked for by its namespace', async () => {
    const { threads } = server.client
    const thread_id = await waiting({ isInside: true })
    const state = await threads.getState(thread_id, undefined, { subgraphs: true })
    const inner = state.tasks[0]?.state ?? expect.fail('no state of the subgraph')
    expect(inner).toMatchObject({ next: ['inner'], values: { text: 'a' } })
    const without = await threads.getState(thread_id)
    expect(without.tasks[0]).toMatchObject({ state: null, checkpoint: { thread_id } })
    const place = without.tasks[0]?.checkpoint ?? expect.fail('no checkpoint of the subgraph')
    expect(place).toEqual({ thread_id, checkpoint_ns: expect.stringMatching(/^child:/) })
    expect(state.tasks[0]?.checkpoint).toBeNull()
    const byPlace = await threads.getState(thread_id, place as Checkpoint)
    expect(byPlace).toMatchObject({ next: ['inner'], values: { text: 'a' } })
    const root = state.checkpoint.checkpoint_id ?? ''
    const atRoot = await threads.getState(thread_id, root, { subgraphs: true })
    expect(atRoot.tasks[0]?.state).toMatchObject({ next: ['inner'] })
  })

  test('at a checkpoint that the thread does not have is not there', async () => {
    const thread_id = await talk('one')
    const other = await talk('two')
    const [strange] = await checkpointIds(other)
    for (const checkpoint_id of [randomUUID(), strange ?? '', 'nonsense']) {
      const byId = server.client.threads.getState(thread_id, checkpoint_id)
      await expect(byId).rejects.toThrow(/HTTP 404: .*no checkpoint/)
      const checkpoint = { thread_id, checkpoint_ns: '', checkpoint_id, checkpoint_map: null }
      const byPlace = server.client.threads.getState(thread_id, checkpoint)
      await expect(byPlace).rejects.toThrow('HTTP 404')
    }
  })
})

describe('an update of the state', () => {
  test('adds a checkpoint after the last, and the thread shows what it made', async () => {
    const { threads } = server.client
    const thread_id = await talk('one')
    const before = await threads.getState<Talk>(thread_id)
    const written = await threads.updateState(thread_id, { values: say('three') })
    const state = await threads.getState<Talk>(thread_id)
    expect(contents(state)).toEqual(['one', 'echo: one', 'three'])
    expect(written).toMatchObject({
      checkpoint: state.checkpoint,
      configurable: { thread_id, checkpoint_id: state.checkpoint.checkpoint_id },
    })
    expect(state.metadata).toMatchObject({ source: 'update' })
    expect(state.parent_checkpoint).toMatchObject({
      checkpoint_id: before.checkpoint.checkpoint_id,
    })
    const thread = await threads.get<Talk>(thread_id)
    expect(thread.values).toEqual(state.values)
    expect(thread.status).toBe('idle')
  })

  test('may stand for a node, and runs go on from there', async () => {
    const { threads, runs } = server.client
    const thread_id = await waiting()
    const values = { answer: 'because', steps: ['by hand'] }
    await threads.updateState(thread_id, { values, asNode: 'ask' })
    const thread = await threads.get(thread_id)
    expect(thread).toMatchObject({ status: 'idle', interrupts: {}, values: { answer: 'because' } })
    await threads.updateState(thread_id, { values: { question: 'how?' }, asNode: 'prepare' })
    expect(await threads.get(thread_id)).toMatchObject({ status: 'interrupted' })
    await runs.wait(thread_id, 'ask', { input: null })
    expect(Object.values((await threads.get(thread_id)).interrupts).flat()).toMatchObject([
      { value: { question: 'how?' } },
    ])
  })

  test('may begin at an earlier checkpoint: a fork', async () => {
    const { threads } = server.client
    const thread_id = await talk('one', 'two')
    const history = await threads.getHistory<Talk>(thread_id)
    const past = history.find(({ values, next }) => values.messages?.length === 2 && !next.length)
    const checkpointId = past?.checkpoint.checkpoint_id ?? expect.fail('no such checkpoint')
    await threads.updateState(thread_id, { values: say('other'), checkpointId })
    const forked = await threads.getState<Talk>(thread_id)
    expect(contents(forked)).toEqual(['one', 'echo: one', 'other'])
    expect(forked.parent_checkpoint).toMatchObject({ checkpoint_id: checkpointId })
    const checkpoint = { ...past?.checkpoint, thread_id } as never
    await threads.updateState(thread_id, { values: say('another'), checkpoint })
    const again = await threads.getState<Talk>(thread_id)
    expect(contents(again)).toEqual(['one', 'echo: one', 'another'])
  })

  test('may be of a subgraph that waits', async () => {
    const { threads, runs } = server.client
    const thread_id = await waiting({ isInside: true })
    const { tasks } = await threads.getState(thread_id)
    const checkpoint = tasks[0]?.checkpoint ?? expect.fail('no checkpoint of the subgraph')
    await threads.updateState(thread_id, { values: { text: 'b' }, checkpoint } as never)
    const state = await threads.getState(thread_id, undefined, { subgraphs: true })
    expect(state.tasks[0]?.state).toMatchObject({ values: { text: 'b' } })
    const values = await runs.wait(thread_id, 'parent', { command: { resume: 'c' } })
    expect(values).toMatchObject({ text: 'BC' })
  })

  test('without values and node copies the last checkpoint', async () => {
    const { threads } = server.client
    const thread_id = await talk('one')
    const before = await checkpointIds(thread_id)
    expect((await call('POST', `/threads/${thread_id}/state`, { values: null })).status).toBe(200)
    expect(await checkpointIds(thread_id)).toEqual([expect.any(String), ...before])
    expect(contents(await threads.getState<Talk>(thread_id))).toEqual(['one', 'echo: one'])
  })

  test('on a thread that nothing has run on needs to know the graph', async () => {
    const { threads } = server.client
    const { thread_id } = await threads.create({ graphId: 'agent' })
    await threads.updateState(thread_id, { values: say('first'), asNode: 'answer' })
    expect(contents(await threads.getState<Talk>(thread_id))).toEqual(['first'])
    const nameless = await threads.create()
    const refused = threads.updateState(nameless.thread_id, { values: say('first') })
    await expect(refused).rejects.toThrow(/HTTP 400: .*has no graph ID/)
    const strange = await threads.create({ graphId: 'gone' })
    const unknown = threads.updateState(strange.thread_id, { values: say('first') })
    await expect(unknown).rejects.toThrow(/HTTP 404: .*\\"gone\\".*\\"agent\\"/)
  })

  test('that the graph does not take is refused and writes nothing', async () => {
    const { threads } = server.client
    const thread_id = await talk('one')
    const before = await checkpointIds(thread_id)
    const state = `/threads/${thread_id}/state`
    for (const body of [{ values: {}, as_node: 'nobody' }, { values: { messages: [{ a: 1 }] } }]) {
      const refused = await call('POST', state, body)
      expect(refused.status).toBe(422)
      expect(await refused.text()).toContain('does not take this update')
    }
    const missing = { values: say('x'), checkpoint_id: randomUUID() }
    expect((await call('POST', state, missing)).status).toBe(404)
    expect(await checkpointIds(thread_id)).toEqual(before)
    expect(contents(await threads.getState<Talk>(thread_id))).toEqual(['one', 'echo: one'])
  })

  test('while a run is under way is a conflict', async () => {
    const { threads, runs } = server.client
    const { thread_id } = await threads.create()
    const input = { count: 1, ms: 60_000 }
    const { run_id } = await runs.create(thread_id, 'slow', { input })
    const update = threads.updateState(thread_id, { values: { label: 'x' } })
    await expect(update).rejects.toThrow(/HTTP 409: .*Thread is busy/)
    await expect(threads.patchState(thread_id, { a: 1 })).rejects.toThrow('HTTP 409')
    await runs.cancel(thread_id, run_id, true)
    await eventually(async () => (await threads.get(thread_id)).status).not.toBe('busy')
  })

  test('loses nothing when many come at once', async () => {
    const { threads } = server.client
    const { thread_id } = await threads.create({ graphId: 'agent' })
    const texts = Array.from({ length: 12 }, (_, i) => `text ${i}`)
    const update = (text: string) =>
      threads.updateState(thread_id, { values: say(text), asNode: 'answer' })
    await Promise.all(texts.map(update))
    const state = await threads.getState<Talk>(thread_id)
    expect(contents(state).toSorted()).toEqual(texts.toSorted())
    expect(await checkpointIds(thread_id)).toHaveLength(12)
  })
})

describe('a patch of the state', () => {
  test('adds to the metadata of the thread and of its last checkpoint', async () => {
    const { threads } = server.client
    const thread_id = await talk('one')
    await threads.patchState(thread_id, { reviewed: true, step: 99 })
    expect((await threads.get(thread_id)).metadata).toMatchObject({
      topic: 'trains',
      reviewed: true,
    })
    const [latest, older] = await threads.getHistory(thread_id)
    expect(latest?.metadata).toMatchObject({ reviewed: true, source: 'loop', step: 1 })
    expect(older?.metadata).not.toHaveProperty('reviewed')
    expect((await threads.getState(thread_id)).metadata).toEqual(latest?.metadata)
  })

  test('of a thread without a state changes the thread alone', async () => {
    const { threads } = server.client
    const { thread_id } = await threads.create()
    await threads.patchState({ configurable: { thread_id } }, { reviewed: true })
    expect((await threads.get(thread_id)).metadata).toEqual({ reviewed: true })
    expect((await threads.getState(thread_id)).checkpoint).toBeNull()
  })
})
