import { expect, test } from 'vitest'
import { startAgentServer } from '../../support/agent/agent-server.ts'
import { differing } from '../../support/agent/language.ts'
import { forAllTests } from '../../support/running.ts'

const server = forAllTests(() => startAgentServer({ projectName: 'runs' }))

interface Seen {
  configurable: Record<string, unknown>
  context: unknown
  tags: string[]
  metadata: Record<string, unknown>
  recursionLimit: number
}

async function createThread(metadata = {}): Promise<string> {
  return (await server.client.threads.create({ metadata })).thread_id
}

function create(thread_id: string, body: object): Promise<Response> {
  const asked = { assistant_id: 'steps', input: {}, ...body }
  const init = { method: 'POST', body: JSON.stringify(asked) }
  return fetch(`${server.url}/threads/${thread_id}/runs`, init)
}

test('a graph is told its config, context, metadata and ids', async () => {
  const { client } = server
  const thread_id = await createThread({ topic: 'trains' })
  const assistant = await client.assistants.create({
    graphId: 'mirror',
    config: { configurable: { model: 'small', mood: 'calm' } },
    context: { region: 'eu' },
    metadata: { team: 'a', topic: 'none' },
  })
  const run = await client.runs.create(thread_id, assistant.assistant_id, {
    input: {},
    config: { tags: ['t'], recursion_limit: 7, configurable: { mood: 'bold' } },
    context: { language: 'en' },
    metadata: { user: 'u' },
  })
  const { seen } = (await client.runs.join(thread_id, run.run_id)) as unknown as { seen: Seen }
  expect(seen.configurable).toMatchObject({
    model: 'small',
    mood: 'bold',
    thread_id,
    run_id: run.run_id,
    assistant_id: assistant.assistant_id,
    graph_id: 'mirror',
  })
  expect(seen.context).toEqual({ region: 'eu', language: 'en' })
  expect(seen.tags).toContain('t')
  expect(seen.recursionLimit).toBe(7)
  const metadata = { team: 'a', topic: 'trains', user: 'u', run_attempt: 1 }
  expect(seen.metadata).toMatchObject(metadata)
  expect(run.metadata).toMatchObject({ team: 'a', topic: 'trains', user: 'u' })
})

test('a graph finds what it is configured with in `configurable` and in `context`', async () => {
  const seen = async (options: object) => {
    const ended = await server.client.runs.wait(null, 'mirror', { input: {}, ...options })
    return (ended as unknown as { seen: Seen }).seen
  }
  expect((await seen({})).context).toEqual(differing('context', { javascript: {}, python: null }))
  expect((await seen({ config: { configurable: { mood: 'bold' } } })).context).toEqual({
    mood: 'bold',
  })
  expect((await seen({ context: { mood: 'calm' } })).configurable).toMatchObject({ mood: 'calm' })
})

test('keys of configurable that begin with two underscores are dropped', async () => {
  const config = { configurable: { __pregel_resuming: true, __mine: 1, mine: 1 } }
  const run = await server.client.runs.create(await createThread(), 'mirror', { input: {}, config })
  const { configurable } = (run as unknown as { kwargs: { config: Seen } }).kwargs.config
  expect(Object.keys(configurable).filter((key) => key.startsWith('__'))).toEqual([])
  expect(configurable).toMatchObject({ mine: 1 })
  const values = await server.client.runs.join(run.thread_id, run.run_id)
  expect(values).toHaveProperty('seen')
})

test('recursion_limit ends a run that takes more steps', async () => {
  const config = { recursion_limit: 1 }
  const refused = server.client.runs.wait(await createThread(), 'steps', { input: {}, config })
  await expect(refused).rejects.toThrow('GraphRecursionError')
})

test('breakpoints: before and after a node, or every one', async () => {
  const { client } = server
  const stopped = async (options: object) => {
    const thread_id = await createThread()
    await client.runs.wait(thread_id, 'steps', { input: {}, ...options })
    const { values, next } = await client.threads.getState<{ trail: string[] }>(thread_id)
    return { trail: values.trail, next }
  }
  expect(await stopped({ interruptBefore: ['b'] })).toEqual({ trail: ['a'], next: ['b'] })
  expect(await stopped({ interruptAfter: ['b'] })).toEqual({ trail: ['a', 'b'], next: ['c'] })
  expect(await stopped({ interruptBefore: '*' })).toEqual({ trail: [], next: ['a'] })
  expect(await stopped({ interruptAfter: '*' })).toEqual({ trail: ['a'], next: ['b'] })
})

test('durability: every step is kept, or only what the run leaves', async () => {
  const { client } = server
  const kept = async (options: object) => {
    const thread_id = await createThread()
    const values = await client.runs.wait(thread_id, 'steps', { input: {}, ...options })
    expect(values).toEqual({ trail: ['a', 'b', 'c'] })
    return (await client.threads.getHistory(thread_id, { limit: 100 })).length
  }
  const all = await kept({})
  expect(await kept({ durability: 'sync' })).toBe(all)
  expect(await kept({ durability: 'async' })).toBe(all)
  expect(await kept({ checkpointDuring: true })).toBe(all)
  expect(await kept({ durability: 'exit' })).toBe(1)
  expect(await kept({ checkpointDuring: false })).toBe(1)
})

test('what is only kept with the run is answered with it; what is unknown is ignored', async () => {
  const kept = {
    webhook: 'https://example.test/hook',
    feedback_keys: ['liked'],
    stream_resumable: true,
    langsmith_tracer: { project_name: 'p', example_id: 'e' },
  }
  const answer = await create(await createThread(), { ...kept, strict_resume: true, odd: [1] })
  expect(answer.status).toBe(200)
  const { kwargs } = (await answer.json()) as { kwargs: object }
  expect(kwargs).toMatchObject(kept)
  expect(kwargs).not.toHaveProperty('odd')
})

test('a run says to which LangSmith project it is traced, where the server traces', async () => {
  const traced = { projectName: 'runs', isLangSmithUsed: true, langSmithProject: 'mine' }
  const tracing = await startAgentServer(traced)
  const nameOf = async (url: string, more: object = {}) => {
    const body = JSON.stringify({ assistant_id: 'steps', input: {}, ...more })
    const made = await fetch(`${url}/runs`, { method: 'POST', body })
    const { thread_id, run_id, ...run } = (await made.json()) as Record<string, unknown>
    expect(run.kwargs).not.toHaveProperty('langsmith_session_name')
    const read = await (await fetch(`${url}/threads/${thread_id}/runs/${run_id}`)).json()
    expect(read).toMatchObject({ langsmith_session_name: run.langsmith_session_name })
    return run.langsmith_session_name
  }
  expect(await nameOf(tracing.url)).toBe('mine')
  const other = { langsmith_tracer: { project_name: 'p' } }
  expect(await nameOf(tracing.url, other)).toBe('p')
  expect(await nameOf(server.url, other)).toBeNull()
  await tracing.stop()
})
