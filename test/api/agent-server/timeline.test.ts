/** Where the time of a run went: what was at work, in which attempt, and who may read of it. */
import { expect, test } from 'vitest'
import { startAgentServer } from '../../support/agent/agent-server.ts'
import { collect } from '../../support/agent/collect.ts'
import { LANGUAGE } from '../../support/agent/language.ts'
import { eventually } from '../../support/eventually.ts'
import { human } from '../../support/hosts/host-world.ts'
import { forAllTests } from '../../support/running.ts'

const server = forAllTests(() =>
  startAgentServer({ projectName: 'played', revisionId: 'revision-7' }),
)

interface Timeline {
  run_id: string
  thread_id: string
  status: string
  error: object | null
  created_at: number
  due_at: number
  started_at: number
  ended_at: number
  attempts: { token: number; outcome: string; started_at: number; ended_at: number }[]
  spans: Span[]
  checkpoints: { checkpoint_ns: string; step: number; source: string; created_at: number }[]
}

interface Span {
  span_id: string
  kind: string
  name: string
  namespace: string[]
  status: string
  started_at: number
  ended_at: number
  first_token_at?: number
  input?: string
  output?: string
  error?: { stack?: string }
}

async function get<T>(path: string, status = 200): Promise<T> {
  const response = await fetch(server.url + path)
  expect(response.status).toBe(status)
  return (await response.json()) as T
}

const pathOf = ({ thread_id, run_id }: Pick<Timeline, 'thread_id' | 'run_id'>) =>
  `/threads/${thread_id}/runs/${run_id}/timeline`

/** The run is over. */
async function timelineOf(
  graph_id: string,
  input: Record<string, unknown> = {},
): Promise<Timeline> {
  const { thread_id } = await server.client.threads.create()
  const run = await server.client.runs.create(thread_id, graph_id, { input })
  await server.client.runs.join(thread_id, run.run_id)
  return get(pathOf(run))
}

const brief = ({ spans }: Timeline) => spans.map(({ kind, name, status }) => [kind, name, status])

test('tells nodes and the tools in them, whatever the run streams, with checkpoints and its attempt', async () => {
  const timeline = await timelineOf('steps')
  expect(brief(timeline)).toEqual([
    ['node', 'first', 'success'],
    ['node', 'second', 'success'],
    ['tool', 'look', 'success'],
  ])
  const [first, second, look] = timeline.spans as [Span, Span, Span]
  expect(first).toMatchObject({ step: 1, token: 1, namespace: [expect.stringMatching(/^first:/)] })
  expect(look).toMatchObject({ tool_call_id: 'look-1', namespace: second.namespace })
  expect(look.started_at).toBeGreaterThanOrEqual(second.started_at)
  expect(look.ended_at).toBeLessThanOrEqual(second.ended_at)
  expect(timeline.attempts).toMatchObject([
    { token: 1, attempt: 1, revision_id: 'revision-7', outcome: 'success', left_out: 0 },
  ])
  const { created_at, due_at, started_at, ended_at, attempts, checkpoints } = timeline
  expect([created_at, due_at]).toEqual([due_at, created_at])
  expect(started_at).toBeGreaterThanOrEqual(due_at)
  expect(ended_at).toBeGreaterThanOrEqual(attempts[0]?.ended_at ?? Number.NaN)
  expect(checkpoints.map(({ step, source }) => [step, source])).toEqual([
    [-1, 'input'],
    [0, 'loop'],
    [1, 'loop'],
    [2, 'loop'],
  ])
  for (const { created_at: at } of checkpoints) {
    expect(at).toBeGreaterThanOrEqual(created_at)
    expect(at).toBeLessThanOrEqual(ended_at)
  }
  const told = await get<Span>(`${pathOf(timeline)}/${look.span_id}`)
  expect(JSON.parse(told.input ?? '')).toEqual({ at: 'it' })
  expect(JSON.parse(told.output ?? '')).toMatchObject({ type: 'tool', content: 'it is fine' })
})

test('tells what models are given and answer, and when their first token came', async () => {
  const { thread_id } = await server.client.threads.create()
  const input = { messages: [human('hello you')] }
  await collect(
    server.client.runs.stream(thread_id, 'talk', { input, streamMode: 'messages-tuple' }),
  )
  const [run] = await server.client.runs.list(thread_id)
  const timeline = await get<Timeline>(pathOf(run as Timeline & typeof run))
  expect(brief(timeline)).toEqual([
    ['node', 'talk', 'success'],
    ['model', 'EchoModel', 'success'],
  ])
  const [node, model] = timeline.spans as [Span, Span]
  expect(model.namespace).toEqual(node.namespace)
  expect(model.first_token_at).toBeGreaterThanOrEqual(model.started_at)
  expect(model).not.toHaveProperty('input')
  const told = await get<Span>(`${pathOf(timeline)}/${model.span_id}`)
  expect(JSON.parse(told.input ?? '')).toMatchObject([{ type: 'human', content: 'hello you' }])
  expect(JSON.parse(told.output ?? '')).toMatchObject({ content: 'echo: hello you' })
})

test('tells a graph that is a node, with its nodes in it', async () => {
  const timeline = await timelineOf('nested', { text: 'hi' })
  expect(brief(timeline)).toEqual([
    ['node', 'before', 'success'],
    ['node', 'child', 'success'],
    ['node', 'inner', 'success'],
  ])
  const [, child, inner] = timeline.spans as [Span, Span, Span]
  expect(inner.namespace.slice(0, 1)).toEqual(child.namespace)
})

test('tells what a node asks', async () => {
  const timeline = await timelineOf('ask')
  expect(brief(timeline)).toEqual([
    ['node', 'before', 'success'],
    ['node', 'ask', 'interrupted'],
  ])
  const { interrupts } = timeline.spans[1] as unknown as { interrupts: string }
  expect(JSON.parse(interrupts)).toMatchObject([{ value: { question: 'sure?' } }])
})

test('tells where an error was thrown', async () => {
  const timeline = await timelineOf('fail')
  expect(timeline).toMatchObject({
    status: 'error',
    error: { error: 'RangeError', message: 'failed on purpose' },
    attempts: [{ outcome: 'error' }],
  })
  const [span] = timeline.spans as [Span]
  expect(span).toMatchObject({ status: 'error', error: { error: 'RangeError' } })
  expect(span.error).not.toHaveProperty('stack')
  const { error } = await get<Span>(`${pathOf(timeline)}/${span.span_id}`)
  expect(error?.stack).toContain(LANGUAGE === 'python' ? 'graphs.py' : 'graphs.ts')
})

test('tells of a run that is going on, and that it was stopped', async () => {
  const { thread_id } = await server.client.threads.create()
  const { run_id } = await server.client.runs.create(thread_id, 'hang', { input: {} })
  const path = pathOf({ thread_id, run_id })
  await eventually(async () => brief(await get<Timeline>(path))).toEqual([
    ['node', 'hang', 'running'],
  ])
  expect(await get<Timeline>(path)).toMatchObject({
    status: 'running',
    ended_at: null,
    attempts: [{ outcome: 'running', ended_at: null }],
  })
  await server.client.runs.cancel(thread_id, run_id, true)
  expect(await get<Timeline>(path)).toMatchObject({
    status: 'interrupted',
    attempts: [{ outcome: 'interrupted' }],
    spans: [{ name: 'hang', status: expect.not.stringMatching('running') }],
  })
})

test('answers 404 for what there is not', async () => {
  const timeline = await timelineOf('steps')
  expect(await get(`${pathOf(timeline)}/none`, 404)).toEqual({
    detail: `Run ${timeline.run_id} has no span none.`,
  })
  const run_id = timeline.thread_id
  expect(await get(pathOf({ ...timeline, run_id }), 404)).toEqual({
    detail: `Run ${run_id} not found.`,
  })
})
