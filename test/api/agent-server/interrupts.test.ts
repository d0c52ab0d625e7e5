import { describe, expect, test } from 'vitest'
import { startAgentServer } from '../../support/agent/agent-server.ts'
import { collect } from '../../support/agent/collect.ts'
import { differing } from '../../support/agent/language.ts'
import { endOfRun, readUntil, send, subscribe } from '../../support/agent/protocol-client.ts'
import { forAllTests } from '../../support/running.ts'

const server = forAllTests(startAgentServer)
const forms = forAllTests(() => startAgentServer({ projectName: 'protocol' }))

test('a graph that asks leaves its thread interrupted, and an answer resumes it', async () => {
  const { client } = server
  const { thread_id } = await client.threads.create()
  const asked = await client.runs.wait(thread_id, 'ask', { input: { question: 'why?' } })
  const interrupt = { id: expect.any(String), value: { question: 'why?' } }
  expect(asked).toMatchObject({ question: 'why?', __interrupt__: [interrupt] })
  const thread = await client.threads.get(thread_id)
  expect(thread.status).toBe('interrupted')
  expect(Object.values(thread.interrupts)).toEqual([[interrupt]])
  const state = await client.threads.getState(thread_id)
  expect(state).toMatchObject({ next: ['ask'], tasks: [{ name: 'ask', interrupts: [interrupt] }] })
  const answered = await client.runs.wait(thread_id, 'ask', { command: { resume: 'because' } })
  expect(answered).toEqual({ question: 'why?', answer: 'because', steps: ['prepare', 'ask'] })
  expect((await client.threads.get(thread_id)).status).toBe('idle')
})

test.each([false, 0, ''])('an answer of %j is one too', async (resume) => {
  const { client } = server
  const { thread_id } = await client.threads.create()
  await client.runs.wait(thread_id, 'ask', { input: { question: 'shall I?' } })
  const answered = await client.runs.wait(thread_id, 'ask', { command: { resume } })
  expect(answered).toMatchObject({ answer: resume, steps: ['prepare', 'ask'] })
  expect((await client.threads.get(thread_id)).status).toBe('idle')
})

test('an answer that does not fit fails its run, and leaves the question open', async () => {
  const { client, url, stop } = await startAgentServer({ projectName: 'newest' })
  const { thread_id } = await client.threads.create()
  await client.runs.wait(thread_id, 'count', { input: { question: 'how many?' } })
  const { interrupts } = await client.threads.get(thread_id)
  for (const resume of ['many', 1.5]) {
    const { run_id } = await client.runs.create(thread_id, 'count', { command: { resume } })
    const refused = await client.runs.join(thread_id, run_id)
    expect(JSON.stringify(refused)).toContain('__error__')
    expect((await client.runs.get(thread_id, run_id)).status).toBe('error')
    const thread = await client.threads.get(thread_id)
    expect(thread).toMatchObject({ status: 'interrupted', interrupts })
    expect(await client.threads.getState(thread_id)).toMatchObject({ next: ['ask'] })
  }
  const answered = await client.runs.wait(thread_id, 'count', { command: { resume: 3 } })
  expect(answered).toMatchObject({ answer: 3 })
  expect((await client.threads.get(thread_id)).status).toBe('idle')
  // A follower of the thread gets the question again after each refused answer.
  const events = await readUntil(await subscribe(url, thread_id), endOfRun(4))
  const ofInput = events.map(({ method }) => method).filter((method) => method.startsWith('input'))
  const [asked, closed] = ['input.requested', 'input.answered']
  expect(ofInput).toEqual([asked, closed, asked, closed, asked, closed])
  await stop()
})

test('a node that asks again waits again, and its thread with it', async () => {
  const { client } = server
  const { thread_id } = await client.threads.create()
  await client.runs.wait(thread_id, 'ask', { input: { question: 'why' } })
  for (const _ of [1, 2]) {
    await client.runs.wait(thread_id, 'ask', { command: { resume: 'ask again' } })
    const asked = [{ id: expect.any(String), value: { question: 'why, again' } }]
    const state = await client.threads.getState(thread_id)
    expect(state).toMatchObject({ next: ['ask'], tasks: [{ name: 'ask', interrupts: asked }] })
    expect((await client.threads.get(thread_id)).status).toBe('interrupted')
  }
  const answered = await client.runs.wait(thread_id, 'ask', { command: { resume: 'so' } })
  expect(answered).toEqual({ question: 'why', answer: 'so', steps: ['prepare', 'ask'] })
  expect(await client.threads.getState(thread_id)).toMatchObject({ next: [], tasks: [] })
  expect((await client.threads.get(thread_id)).status).toBe('idle')
})

test('the run that stopped to ask is a success, and its stream shows the question', async () => {
  const { client } = server
  const { thread_id } = await client.threads.create()
  const stream = client.runs.stream(thread_id, 'ask', {
    input: { question: 'why?' },
    streamMode: ['values', 'updates'],
  })
  const parts = await collect(stream)
  const question = { __interrupt__: [{ value: { question: 'why?' } }] }
  expect(parts.filter((part) => part.event === 'updates').at(-1)?.data).toMatchObject(question)
  const run_id = (parts[0] as { data: { run_id: string } } | undefined)?.data.run_id ?? ''
  expect((await client.runs.get(thread_id, run_id)).status).toBe('success')
})

test('whoever sees the question finds the run over', async () => {
  const { client } = server
  const { thread_id } = await client.threads.create()
  const stream = client.runs.stream(thread_id, 'ask', {
    input: { question: 'why?' },
    streamMode: ['values', 'tasks'],
  })
  for await (const { data } of stream) {
    if (!data || !('__interrupt__' in data)) continue
    await client.threads.updateState(thread_id, { values: { question: 'how?' } })
  }
  const { values } = await client.threads.getState<{ question: string }>(thread_id)
  expect(values.question).toBe('how?')
})

test('a strict run that answers what nobody asks fails, and the question stays open', async () => {
  const { client } = server
  const { thread_id } = await client.threads.create()
  const asked = await client.runs.wait(thread_id, 'ask', { input: { question: 'why?' } })
  const [{ id }] = (asked as unknown as { __interrupt__: [{ id: string }] }).__interrupt__
  const before = await client.threads.getHistory(thread_id)
  const answer = async (resume: unknown) => {
    const response = await fetch(`${server.url}/threads/${thread_id}/runs/wait`, {
      method: 'POST',
      body: JSON.stringify({ assistant_id: 'ask', command: { resume }, strict_resume: true }),
    })
    return { status: response.status, body: await response.json() }
  }
  const error = { error: 'UnknownInterruptError', message: expect.stringContaining('0'.repeat(32)) }
  expect((await answer({ ['0'.repeat(32)]: 'late' })).body).toMatchObject({ __error__: error })
  const [run] = await client.runs.list(thread_id)
  expect(run).toMatchObject({ status: 'error', kwargs: { strict_resume: true } })
  const thread = await client.threads.get(thread_id)
  expect(thread).toMatchObject({ status: 'interrupted', error: null })
  expect(await client.threads.getHistory(thread_id)).toEqual(before)
  expect((await answer({ [id]: 'because' })).body).toMatchObject({ answer: 'because' })
})

describe('the schema of an answer', () => {
  const interrupt = {
    id: expect.any(String),
    value: 'How many?',
    response_schema: {
      type: 'object',
      properties: { count: { type: 'integer' } },
      required: ['count'],
    },
  }

  test('is in values, states, the history and the thread', async () => {
    const { threads, runs } = forms.client
    const { thread_id } = await threads.create()
    const asked = await runs.wait(thread_id, 'form', { input: {} })
    expect(asked).toMatchObject({ __interrupt__: [interrupt] })
    const state = { tasks: [{ interrupts: [interrupt] }], interrupts: [interrupt] }
    expect(await threads.getState(thread_id)).toMatchObject(state)
    expect((await threads.getHistory(thread_id))[0]).toMatchObject(state)
    const [found] = await threads.search({ ids: [thread_id] })
    for (const thread of [found, await threads.get(thread_id)]) {
      expect(Object.values(thread?.interrupts ?? {})).toEqual([[interrupt]])
    }
    const answered = await runs.wait(thread_id, 'form', { command: { resume: { count: 3 } } })
    expect(answered).toEqual({ count: 3 })
  })

  test('is in every stream mode that shows questions', async () => {
    const { threads, runs } = forms.client
    const { thread_id } = await threads.create()
    const streamMode = ['values', 'updates', 'tasks', 'debug'] as const
    const stream = runs.stream(thread_id, 'form', { input: {}, streamMode: [...streamMode] })
    const shown = new Map<string, string>()
    for (const { event, data } of await collect(stream)) {
      const text = JSON.stringify(data)
      if (text.includes('How many?')) shown.set(event, text)
    }
    expect([...shown.keys()].toSorted()).toEqual([...streamMode].toSorted())
    for (const text of shown.values()) expect(text).toContain('"response_schema":{')
  })

  test.each([{ by: 'the protocol' }, { by: 'the API' }])(
    'is in input.requested of a run by $by',
    async ({ by }) => {
      const { thread_id } = await forms.client.threads.create()
      const params = { assistant_id: 'form', input: {} }
      if (by === 'the API') await forms.client.runs.wait(thread_id, 'form', { input: {} })
      else await send(forms.url, thread_id, 'run.start', params)
      const events = await readUntil(await subscribe(forms.url, thread_id), endOfRun(1))
      const { id, value, response_schema } = interrupt
      expect(events.find(({ method }) => method === 'input.requested')?.params.data).toEqual({
        interrupt_id: id,
        payload: value,
        response_schema,
      })
    },
  )

  test('is in the task of A2A', async () => {
    const parts = [{ kind: 'data', data: { count: 0 } }]
    const message = { kind: 'message', messageId: crypto.randomUUID(), role: 'user', parts }
    const response = await fetch(`${forms.url}/a2a/form`, {
      method: 'POST',
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'message/send', params: { message } }),
    })
    const { result } = (await response.json()) as {
      result: { status: { state: string; message: { parts: object[] } } }
    }
    expect(result.status.state).toBe('input-required')
    expect(result.status.message.parts.at(-1)).toMatchObject({ data: { interrupts: [interrupt] } })
  })
})

test('a question inside a subgraph is answered like any other', async () => {
  const { client } = server
  const { thread_id } = await client.threads.create()
  await client.runs.wait(thread_id, 'parent', { input: { text: 'a', ask: true } })
  const values = await client.runs.wait(thread_id, 'parent', { command: { resume: 'b' } })
  expect(values).toMatchObject({ text: 'AB', steps: ['before', 'after'] })
})

test('a breakpoint stops before its node, and a run without input goes on', async () => {
  const { client } = server
  const { thread_id } = await client.threads.create()
  const input = { label: 'a', count: 1, ms: 1 }
  const stopped = await client.runs.wait(thread_id, 'slow', { input, interruptBefore: ['step'] })
  expect(stopped).toMatchObject({ label: 'a', __interrupt__: [] })
  expect(await client.threads.get(thread_id)).toMatchObject({ status: 'interrupted' })
  expect((await client.threads.getState(thread_id)).next).toEqual(['step'])
  const values = await client.runs.wait(thread_id, 'slow', { input: null })
  expect(values).toMatchObject({ steps: ['a:1'] })
  expect(values).not.toHaveProperty('__interrupt__')
  expect((await client.threads.get(thread_id)).status).toBe('idle')
})

test('a command may update the state and choose the next node', async () => {
  const { client } = server
  const { thread_id } = await client.threads.create()
  await client.runs.wait(thread_id, 'ask', { input: { question: 'why?' } })
  const values = await client.runs.wait(thread_id, 'ask', {
    command: { update: { question: 'how?' }, goto: 'prepare' },
  })
  const steps = differing('pending', {
    javascript: ['prepare', 'prepare'],
    python: ['prepare'],
  })
  expect(values).toMatchObject({ question: 'how?', steps })
})
