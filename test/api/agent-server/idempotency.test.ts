import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '../../../src/core/clock.ts'
import { type RunningAgentServer, startAgentServer } from '../../support/agent/agent-server.ts'

let server: RunningAgentServer
let skippedMs = 0

beforeAll(async () => {
  const clock = { now: () => systemClock.now() + skippedMs }
  server = await startAgentServer({ clock })
})
afterAll(() => server.stop())

const STEP = { assistant_id: 'slow', input: { label: 'a', count: 1, ms: 1 } }

function post(path: string, body: unknown, key: string): Promise<Response> {
  const headers = { 'Idempotency-Key': key }
  return fetch(`${server.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
}

const runOf = async (answer: Response) => ((await answer.json()) as { run_id: string }).run_id

async function createThread(): Promise<string> {
  return (await server.client.threads.create()).thread_id
}

test('a repeated creation answers the first run, also when it has ended', async () => {
  const thread_id = await createThread()
  const [path, key] = [`/threads/${thread_id}/runs`, randomUUID()]
  const first = await runOf(await post(path, STEP, key))
  await server.client.runs.join(thread_id, first)
  const again = await post(path, { input: STEP.input, assistant_id: 'slow' }, key)
  expect(await again.json()).toMatchObject({ run_id: first, status: 'success' })
  expect(again.headers.get('content-location')).toBe(`${path}/${first}`)
  expect(await server.client.runs.list(thread_id)).toHaveLength(1)
})

test('creations sent at the same time create one run', async () => {
  const thread_id = await createThread()
  const [path, key] = [`/threads/${thread_id}/runs`, randomUUID()]
  const answers = await Promise.all(Array.from({ length: 8 }, () => post(path, STEP, key)))
  const ids = await Promise.all(answers.map(runOf))
  expect(new Set(ids).size).toBe(1)
  expect(await server.client.runs.list(thread_id)).toHaveLength(1)
})

test('a repeated wait or stream joins the first run, however that was created', async () => {
  const thread_id = await createThread()
  const [path, key] = [`/threads/${thread_id}/runs`, randomUUID()]
  const run_id = await runOf(await post(path, STEP, key))
  const waited = await post(`${path}/wait`, STEP, key)
  expect(await waited.json()).toMatchObject({ steps: ['a:1'] })
  const streamed = await (await post(`${path}/stream`, STEP, key)).text()
  expect(streamed).toContain(`"run_id":"${run_id}"`)
  expect(streamed).toContain('"steps":["a:1"]')
  expect(await server.client.runs.list(thread_id)).toHaveLength(1)
})

test('a repeat of a run without a thread finds it, while its log can be read', async () => {
  const key = randomUUID()
  const first = await post('/runs/wait', STEP, key)
  const second = await post('/runs/wait', STEP, key)
  expect(second.headers.get('content-location')).toBe(first.headers.get('content-location'))
  expect(await second.json()).toEqual(await first.json())
})

test('a repeated batch answers the first runs, in their order', async () => {
  const [key, batch] = [randomUUID(), [STEP, { ...STEP, metadata: { n: 2 } }]]
  const first = (await (await post('/runs/batch', batch, key)).json()) as { run_id: string }[]
  const again = (await (await post('/runs/batch', batch, key)).json()) as { run_id: string }[]
  expect(again.map((run) => run.run_id)).toEqual(first.map((run) => run.run_id))
  expect((await post('/runs/batch', [STEP], key)).status).toBe(422)
})

test('a repeat is not taken for a second run by multitask_strategy', async () => {
  const thread_id = await createThread()
  const [path, key] = [`/threads/${thread_id}/runs`, randomUUID()]
  const body = { ...STEP, after_seconds: 600 }
  for (const multitask_strategy of ['reject', 'rollback']) {
    const mine = `${key} ${multitask_strategy}`
    const first = await runOf(await post(path, { ...body, multitask_strategy }, mine))
    expect(await runOf(await post(path, { ...body, multitask_strategy }, mine))).toBe(first)
    await server.client.runs.cancel(thread_id, first, true)
  }
})

test('the same key with another body is refused', async () => {
  const path = `/threads/${await createThread()}/runs`
  const key = randomUUID()
  await post(path, STEP, key)
  const answer = await post(path, { ...STEP, metadata: { other: true } }, key)
  expect(answer.status).toBe(422)
  const detail = [{ loc: ['header', 'idempotency-key'], msg: expect.stringMatching(/new key/) }]
  expect(await answer.json()).toMatchObject({ detail })
})

test('the same key on another thread is another key', async () => {
  const key = randomUUID()
  const paths = [`/threads/${await createThread()}/runs`, `/threads/${await createThread()}/runs`]
  const ids = await Promise.all(paths.map(async (path) => runOf(await post(path, STEP, key))))
  expect(ids[0]).not.toBe(ids[1])
})

test('a refused creation does not use its key up', async () => {
  const thread_id = randomUUID()
  const [path, key] = [`/threads/${thread_id}/runs`, randomUUID()]
  expect((await post(path, STEP, key)).status).toBe(404)
  await server.client.threads.create({ threadId: thread_id })
  expect((await post(path, STEP, key)).status).toBe(200)
})

test('the key of a run that was removed runs nothing', async () => {
  const thread_id = await createThread()
  const [path, key] = [`/threads/${thread_id}/runs`, randomUUID()]
  const run_id = await runOf(await post(path, { ...STEP, after_seconds: 600 }, key))
  await server.client.runs.cancel(thread_id, run_id, true, 'rollback')
  const answer = await post(path, { ...STEP, after_seconds: 600 }, key)
  expect(answer.status).toBe(409)
  expect(await answer.json()).toMatchObject({ detail: expect.stringMatching(/is gone/) })
})

test('a key is forgotten after a day', async () => {
  const thread_id = await createThread()
  const [path, key] = [`/threads/${thread_id}/runs`, randomUUID()]
  const first = await runOf(await post(path, STEP, key))
  await server.client.runs.join(thread_id, first)
  skippedMs = 24 * 3_600_000 + 1_000
  expect(await runOf(await post(path, { ...STEP, metadata: { day: 2 } }, key))).not.toBe(first)
})
