/** What the log says of requests and runs, and what it never says. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createLog } from '../../../src/telemetry/log.ts'
import { type RunningAgentServer, startAgentServer } from '../../support/agent/agent-server.ts'
import { eventually } from '../../support/eventually.ts'

type Line = Record<string, unknown> & { msg: string }

let server: RunningAgentServer
let lines: Line[]

function newLog() {
  lines = []
  return createLog('debug', { write: (line: string) => void lines.push(JSON.parse(line)) })
}

beforeEach(async () => {
  server = await startAgentServer({ log: newLog(), apiKeys: ['the-servers-only-key'] })
})
afterEach(() => server.stop())

const HEADERS = { 'x-api-key': 'the-servers-only-key', cookie: 'session=in-a-cookie' }

async function send(method: string, path: string, headers = {}, body?: object): Promise<Response> {
  const init = { method, headers: { ...HEADERS, ...headers } }
  return fetch(`${server.url}${path}`, body ? { ...init, body: JSON.stringify(body) } : init)
}

const about = (msg: string) => lines.filter((line) => line.msg === msg)

test('each request has an id: the client’s, if it is sane, or one of its own', async () => {
  const chosen = await send('GET', '/ok', { 'x-request-id': 'my-request.1' })
  expect(chosen.headers.get('x-request-id')).toBe('my-request.1')
  for (const bad of ['x'.repeat(129), 'a b', '"}']) {
    const response = await send('GET', '/ok', { 'x-request-id': bad })
    expect(response.headers.get('x-request-id')).toMatch(/^[\da-f-]{36}$/)
  }
  const refused = await fetch(`${server.url}/threads/count`, { method: 'POST' })
  expect(refused.status).toBe(401)
  expect(refused.headers.get('x-request-id')).toBeTruthy()
  // The first is the server's own, before it is ready.
  const line = () => about('answered a request')[1]
  const request = { method: 'GET', path: '/ok', status: 200, request_id: 'my-request.1' }
  await eventually(line).toMatchObject(request)
})

test('the lines of a run name it, its thread, and the request that made it', async () => {
  const created = await send('POST', '/threads', {}, {})
  const { thread_id } = (await created.json()) as { thread_id: string }
  const make = (graph: string, id: string) =>
    send(
      'POST',
      `/threads/${thread_id}/runs`,
      { 'x-request-id': id },
      { assistant_id: graph, input: {} },
    )
  const runs: { run_id: string }[] = []
  for (const id of ['first', 'second']) runs.push((await (await make('fail', id)).json()) as never)
  await eventually(() => about('a run has ended').length).toBe(2)
  for (const [index, id] of ['first', 'second'].entries()) {
    const { run_id } = runs[index] ?? {}
    const ids = { request_id: id, thread_id, run_id }
    const err = { message: 'failed on purpose', stack: expect.stringMatching(/graph\.(ts|py)/) }
    expect(about('the run failed')[index]).toMatchObject({ ...ids, level: 'error', err })
    expect(about('a run has ended')[index]).toMatchObject({ ...ids, status: 'error' })
    const asked = await send('GET', `/threads/${thread_id}/runs/${run_id}`, { 'x-request-id': 'q' })
    await asked.text()
    const answered = () => about('answered a request').at(-1)
    await eventually(answered).toMatchObject({ request_id: 'q', thread_id, run_id })
  }
})

test('no line holds a secret', async () => {
  const { thread_id } = (await (await send('POST', '/threads', {}, {})).json()) as never
  const headers = { authorization: 'Bearer the-bearers-token-0123456789' }
  const secret = 'sk-0123456789abcdef0123'
  const body = { assistant_id: 'fail', input: { reason: `denied for ${secret}` } }
  await send('POST', `/threads/${thread_id}/runs/wait?token=in-the-query`, headers, body)
  await eventually(() => about('the run failed').length).toBe(1)
  const text = JSON.stringify(lines)
  expect(text).toContain('denied for [redacted]')
  for (const word of ['only-key', 'in-a-cookie', 'bearers-token', 'in-the-query', secret]) {
    expect(text).not.toContain(word)
  }
})

test('what a project says through the SDK’s logger is a line like any other', async () => {
  await server.stop()
  server = await startAgentServer({ log: newLog(), projectName: 'logging' })
  const { thread_id } = await server.client.threads.create()
  await server.client.runs.wait(thread_id, 'wordy', { input: { rows: 3 } })
  const [run] = await server.client.runs.list(thread_id)
  const ids = { thread_id, run_id: run?.run_id, langgraph_node: 'read' }
  await eventually(() => about('read some rows')).toMatchObject([
    { level: 'warn', rows: 3, ...ids },
  ])
})
