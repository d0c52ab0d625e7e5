import { randomUUID } from 'node:crypto'
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

const contents = ({ values }: { values: Talk }) => values.messages.map(({ content }) => content)

async function call(method: string, path: string, body?: unknown, headers = {}): Promise<Response> {
  const init = body === undefined ? {} : { body: JSON.stringify(body) }
  return fetch(`${server.url}${path}`, { method, headers, ...init })
}

const checkpointsOf = (thread_id: string) =>
  server.client.threads.getHistory<Talk>(thread_id, { limit: 100 })

/** A thread with a run that goes on until it is cancelled, and one that waits behind it. */
async function busy() {
  const { threads, runs } = server.client
  const { thread_id } = await threads.create()
  const input = { label: 'long', count: 1, ms: 60_000 }
  const { run_id: running } = await runs.create(thread_id, 'slow', { input })
  const { run_id: waiting } = await runs.create(thread_id, 'slow', { input })
  await eventually(async () => (await runs.get(thread_id, running)).status).toBe('running')
  await eventually(async () => (await threads.getState(thread_id)).next).toEqual(['step'])
  return { thread_id, running, waiting }
}

describe('a thread with supersteps', () => {
  const history = [
    { updates: [{ values: say('first'), asNode: '__start__' }] },
    { updates: [{ values: { messages: [{ role: 'ai', content: 'second' }] }, asNode: 'answer' }] },
  ]

  test('begins with the history that they make', async () => {
    const { threads, runs } = server.client
    const thread = await threads.create({ graphId: 'agent', supersteps: history })
    expect(thread).toMatchObject({ status: 'idle', metadata: { graph_id: 'agent' } })
    expect(contents(thread as never)).toEqual(['first', 'second'])
    const states = await checkpointsOf(thread.thread_id)
    expect(states.map(({ next }) => next)).toEqual([[], ['answer']])
    const values = await runs.wait(thread.thread_id, 'agent', { input: say('third') })
    expect(contents({ values: values as Talk })).toEqual([
      'first',
      'second',
      'third',
      'echo: third',
    ])
  })

  test('may take commands', async () => {
    const update = { command: { update: { question: 'why?' }, goto: 'ask' }, asNode: 'prepare' }
    const supersteps = [{ updates: [update] }] as never
    const thread = await server.client.threads.create({ graphId: 'ask', supersteps })
    expect(thread.values).toMatchObject({ question: 'why?' })
    expect(thread.status).toBe('interrupted')
  })

  test('that is there already keeps its own', async () => {
    const threadId = await talk('one')
    const body = { threadId, graphId: 'agent', supersteps: history }
    await expect(server.client.threads.create(body)).rejects.toThrow('HTTP 409')
    const same = await server.client.threads.create({ ...body, ifExists: 'do_nothing' })
    expect(contents(same as never)).toEqual(['one', 'echo: one'])
  })

  test('is not made when they cannot be taken', async () => {
    const { threads } = server.client
    const threadId = randomUUID()
    const nameless = threads.create({ threadId, supersteps: history })
    await expect(nameless).rejects.toThrow(/HTTP 400: .*has no graph ID/)
    const unknown = threads.create({ threadId, graphId: 'gone', supersteps: history })
    await expect(unknown).rejects.toThrow('HTTP 404')
    const nobody = [{ updates: [{ values: {}, asNode: 'nobody' }] }]
    const refused = threads.create({ threadId, graphId: 'agent', supersteps: nobody })
    await expect(refused).rejects.toThrow(/HTTP 422: .*does not take this update/)
    for (const supersteps of [[{}], [{ updates: [] }], [{ updates: [{ values: {} }] }]]) {
      const body = { thread_id: threadId, metadata: { graph_id: 'agent' }, supersteps }
      expect((await call('POST', '/threads', body)).status).toBe(422)
    }
    await expect(threads.get(threadId)).rejects.toThrow('HTTP 404')
    expect(await server.store.checkpoints.list({ thread_id: threadId })).toEqual([])
  })
})

describe('a patch', () => {
  test('merges metadata and leaves the rest', async () => {
    const { threads } = server.client
    const thread_id = await talk('one')
    const before = await threads.get(thread_id)
    const patched = await threads.update(thread_id, { metadata: { topic: 'planes', by: 'ada' } })
    expect(patched.metadata).toEqual({ ...before.metadata, topic: 'planes', by: 'ada' })
    expect(patched).toMatchObject({ values: before.values, status: 'idle' })
    expect(patched.updated_at >= before.updated_at).toBe(true)
    expect(await threads.get(thread_id)).toEqual(patched)
  })

  test('answers nothing when little is preferred', async () => {
    const { thread_id } = await server.client.threads.create()
    const prefer = { Prefer: 'return=minimal' }
    const minimal = await call('PATCH', `/threads/${thread_id}`, { metadata: { a: 1 } }, prefer)
    expect([minimal.status, await minimal.text()]).toEqual([204, ''])
    expect((await server.client.threads.get(thread_id)).metadata).toEqual({ a: 1 })
  })
})

describe('deleting a thread', () => {
  test('removes it with its runs and its history', async () => {
    const { threads, runs } = server.client
    const { thread_id } = await threads.create()
    const run = await runs.create(thread_id, 'agent', { input: say('one') })
    await runs.join(thread_id, run.run_id)
    expect((await call('DELETE', `/threads/${thread_id}`)).status).toBe(204)
    await expect(threads.get(thread_id)).rejects.toThrow('HTTP 404')
    await expect(threads.getState(thread_id)).rejects.toThrow('HTTP 404')
    await expect(runs.get(thread_id, run.run_id)).rejects.toThrow('HTTP 404')
    await expect(runs.joinStream(thread_id, run.run_id).next()).rejects.toThrow('HTTP 404')
    await expect(threads.delete(thread_id)).rejects.toThrow('HTTP 404')
    expect(await server.store.checkpoints.list({ thread_id })).toEqual([])
    const again = await threads.create({ threadId: thread_id })
    expect(again).toMatchObject({ values: null, metadata: {} })
  })

  test('cancels its runs: who follows them sees their end, and nothing is written any more', async () => {
    const { threads, runs } = server.client
    const { thread_id, running, waiting } = await busy()
    const followed = [running, waiting].flatMap((id) => [`${id}/stream`, `${id}/join`])
    // With their heads here, they are let in.
    const asked = followed.map((path) => call('GET', `/threads/${thread_id}/runs/${path}`))
    const answers = await Promise.all(asked)
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    await threads.delete(thread_id)
    for (const answer of answers) await answer.text()
    await threads.create({ threadId: thread_id })
    const values = await runs.wait(thread_id, 'slow', { input: { label: 'new', count: 1, ms: 1 } })
    expect(values).toMatchObject({ steps: ['new:1'] })
    const states = await threads.getHistory(thread_id, { limit: 100 })
    expect(states.every(({ values }) => !JSON.stringify(values).includes('long'))).toBe(true)
  })
})

describe('a copy', () => {
  test('has the state and the history, and goes its own way', async () => {
    const { threads, runs } = server.client
    const thread_id = await talk('one')
    const copy = await threads.copy(thread_id)
    expect(copy.thread_id).not.toBe(thread_id)
    const source = await threads.get(thread_id)
    expect(copy.metadata).toEqual({ ...source.metadata, thread_id: copy.thread_id })
    expect(copy).toMatchObject({ status: 'idle', values: source.values })
    const [mine, theirs] = [await checkpointsOf(thread_id), await checkpointsOf(copy.thread_id)]
    expect(theirs.map(({ values }) => values)).toEqual(mine.map(({ values }) => values))
    expect(new Set(theirs.map(({ checkpoint }) => checkpoint.thread_id))).toEqual(
      new Set([copy.thread_id]),
    )
    expect(await threads.getState(copy.thread_id)).toEqual(theirs[0])
    await runs.wait(copy.thread_id, 'agent', { input: say('two') })
    expect(contents(await threads.getState<Talk>(copy.thread_id))).toHaveLength(4)
    expect(contents(await threads.getState<Talk>(thread_id))).toHaveLength(2)
    expect(await server.store.runs.latest(copy.thread_id)).toMatchObject({
      kwargs: { input: say('two') },
    })
  })

  test('of a thread that waits can be answered', async () => {
    const { threads, runs } = server.client
    const { thread_id } = await threads.create()
    await runs.wait(thread_id, 'parent', { input: { text: 'a', ask: true } })
    const copy = await threads.copy(thread_id)
    expect(copy.status).toBe('interrupted')
    expect(Object.values(copy.interrupts).flat()).toMatchObject([{ value: { text: 'a' } }])
    const { tasks } = await threads.getState(copy.thread_id)
    expect(tasks[0]?.checkpoint).toMatchObject({ thread_id: copy.thread_id })
    const resume = { command: { resume: 'b' } }
    expect(await runs.wait(copy.thread_id, 'parent', resume)).toMatchObject({ text: 'AB' })
    expect(await runs.wait(thread_id, 'parent', resume)).toMatchObject({ text: 'AB' })
  })

  test('of a busy thread is as it was before the runs', async () => {
    const { threads, runs } = server.client
    const { thread_id, running, waiting } = await busy()
    const copy = await threads.copy(thread_id)
    expect(copy).toMatchObject({ status: 'idle', values: null })
    expect(await threads.getHistory(copy.thread_id)).toEqual([])
    const values = await runs.wait(copy.thread_id, 'slow', {
      input: { label: 'copy', count: 1, ms: 1 },
    })
    expect(values).toMatchObject({ steps: ['copy:1'] })
    for (const run_id of [waiting, running]) await runs.cancel(thread_id, run_id, true)
  })
})

describe('pruning', () => {
  test('removes the threads that are there', async () => {
    const { threads } = server.client
    const [one, other] = [await talk(), await talk('one')]
    expect(await threads.prune([one, other, one, randomUUID()])).toEqual({ pruned_count: 2 })
    for (const id of [one, other]) await expect(threads.get(id)).rejects.toThrow('HTTP 404')
  })

  test('can keep the latest state, from which threads go on', async () => {
    const { threads, runs } = server.client
    const thread_id = await talk('one', 'two')
    const before = await threads.getState(thread_id)
    const strategy = 'keep_latest'
    expect(await threads.prune([thread_id], { strategy })).toEqual({ pruned_count: 1 })
    expect(await checkpointsOf(thread_id)).toHaveLength(1)
    expect(await threads.getState(thread_id)).toEqual(before)
    await runs.wait(thread_id, 'agent', { input: say('three') })
    expect(contents(await threads.getState<Talk>(thread_id))).toHaveLength(6)
  })

  test('keeps what a subgraph needs that waits, and drops what others have left', async () => {
    const { threads, runs } = server.client
    const { thread_id } = await threads.create()
    await runs.wait(thread_id, 'parent', { input: { text: 'old' } })
    await runs.wait(thread_id, 'parent', { input: { text: 'a', ask: true } })
    await threads.prune([thread_id], { strategy: 'keep_latest' })
    expect(await server.store.checkpoints.list({ thread_id })).toHaveLength(2)
    const resume = { command: { resume: 'b' } }
    expect(await runs.wait(thread_id, 'parent', resume)).toMatchObject({ text: 'AB' })
  })

  test('passes over busy threads that are to keep their latest state, and removes them else', async () => {
    const { threads } = server.client
    const { thread_id } = await busy()
    const kept = await threads.prune([thread_id], { strategy: 'keep_latest' })
    expect(kept).toEqual({ pruned_count: 0 })
    expect(await threads.prune([thread_id])).toEqual({ pruned_count: 1 })
  })
})

describe('the storage of a thread', () => {
  test('is what its history takes', async () => {
    const thread_id = await talk('one')
    const use = (await (await call('GET', `/threads/${thread_id}/storage`)).json()) as {
      total_bytes: number
      checkpoints: { count: number; bytes: number }
      channel_values: {
        count: number
        bytes: number
        by_channel: Record<string, { versions: number; bytes: number }>
      }
      pending_writes: { count: number; bytes: number }
    }
    const { checkpoints, channel_values, pending_writes, total_bytes } = use
    expect(use).toMatchObject({ thread_id })
    expect(checkpoints.count).toBe(3)
    expect(channel_values.by_channel.messages).toMatchObject({ versions: 2 })
    const channels = Object.values(channel_values.by_channel)
    expect(channels.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(channel_values.bytes)
    expect(total_bytes).toBe(checkpoints.bytes + channel_values.bytes + pending_writes.bytes)
    expect(total_bytes).toBeGreaterThan(500)
  })

  test('is nothing before the first run', async () => {
    const { thread_id } = await server.client.threads.create()
    expect(await (await call('GET', `/threads/${thread_id}/storage`)).json()).toEqual({
      thread_id,
      total_bytes: 0,
      checkpoints: { count: 0, bytes: 0 },
      channel_values: { count: 0, bytes: 0, by_channel: {} },
      pending_writes: { count: 0, bytes: 0 },
    })
  })
})
