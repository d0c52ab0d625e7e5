import { randomUUID } from 'node:crypto'
import { afterEach, expect, test } from 'vitest'
import { type RunningAgentServer, startAgentServer } from '../../support/agent/agent-server.ts'
import { held } from '../../support/agent/held.ts'
import { differing } from '../../support/agent/language.ts'
import { SocketClient } from '../../support/agent/protocol-client.ts'
import { eventually } from '../../support/eventually.ts'

let server: RunningAgentServer
afterEach(() => server.stop())

/** As one server answers: what it tells is its own. */
async function metrics(path = '/metrics', { url } = server.members[0]): Promise<Response> {
  return fetch(`${url}${path}`, { headers: { 'x-api-key': 'key' } })
}

/** The value of the sample that is written so. */
async function sampleOf(sample: string, member = server.members[0]): Promise<number | undefined> {
  const lines = (await (await metrics('/metrics', member)).text()).split('\n')
  const line = lines.find((one) => one.startsWith(`${sample} `))
  return line === undefined ? undefined : Number(line.slice(sample.length))
}

/** The sum over the servers of a sample that each has for itself. */
async function sumOf(sample: string): Promise<number> {
  const values = await Promise.all(server.members.map((member) => sampleOf(sample, member)))
  return values.reduce<number>((sum, value = 0) => sum + value, 0)
}

test('tell of runs, requests, streams, the event loop and the database', async () => {
  server = await startAgentServer({ projectName: 'runs', concurrency: 1 })
  const { client } = server
  const { thread_id } = await client.threads.create()
  await client.runs.wait(thread_id, 'steps', { input: {} })
  const running = await client.runs.create(thread_id, 'hold', { input: {} })
  await eventually(() => held(running.run_id)).toBeDefined()
  await client.runs.create(thread_id, 'steps', { input: {} })
  await client.runs.create(thread_id, 'steps', { input: {}, afterSeconds: 3_600 })
  const stream = await fetch(`${server.url}/threads/${thread_id}/runs/${running.run_id}/stream`)

  expect(await sampleOf('runyard_runs{status="waiting"}')).toBe(1)
  expect(await sampleOf('runyard_runs{status="delayed"}')).toBe(1)
  expect(await sampleOf('runyard_runs{status="running"}')).toBe(1)
  expect(await sampleOf('runyard_queue_age_seconds')).toBeGreaterThan(0)
  expect(await sumOf('runyard_streams_open')).toBe(1)
  expect(await sumOf('runyard_run_wait_seconds_count')).toBe(2)
  await eventually(() => sumOf('runyard_run_duration_seconds_count{status="success"}')).toBe(1)
  await eventually(() => sumOf('runyard_run_first_event_seconds_count')).toBe(2)
  expect(await sampleOf('runyard_database_bytes')).toBeGreaterThan(4_096)
  expect(await sampleOf('runyard_database_latency_seconds')).toBeGreaterThan(0)
  expect(await sampleOf('runyard_webhooks_pending')).toBe(0)
  expect(await sampleOf('nodejs_eventloop_lag_mean_seconds')).toBeDefined()
  const created = { method: 'POST', route: '/threads/{thread_id}/runs', status: '200' }
  const labels = Object.entries(created).map(([name, value]) => `${name}="${value}"`)
  await eventually(() => sumOf(`runyard_http_requests_total{${labels.join(',')}}`)).toBe(3)

  await stream.body?.cancel()
  await eventually(() => sumOf('runyard_streams_open')).toBe(0)
  await client.runs.cancel(thread_id, running.run_id, true)
  await eventually(() => sumOf('runyard_run_duration_seconds_count{status="interrupted"}')).toBe(1)
})

test('count the streams of the thread-centred protocol among the open ones', async () => {
  server = await startAgentServer({ projectName: 'protocol' })
  const thread_id = randomUUID()
  const stream = await fetch(`${server.url}/threads/${thread_id}/stream/events`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ channels: ['lifecycle'] }),
  })
  const socket = new SocketClient(server.url, thread_id)
  await socket.send('subscription.subscribe', { channels: ['lifecycle'] })
  expect(await sumOf('runyard_streams_open')).toBe(2)
  await stream.body?.cancel()
  socket.close()
  await eventually(() => sumOf('runyard_streams_open')).toBe(0)
})

test('are JSON for those who ask for it', async () => {
  server = await startAgentServer()
  const response = await metrics('/metrics?format=json')
  expect(response.headers.get('content-type')).toContain('application/json')
  expect(await response.json()).toMatchObject({
    runyard_runs: { type: 'gauge', values: expect.arrayContaining([]) },
  })
  expect((await metrics()).headers.get('content-type')).toContain('text/plain')
  expect((await metrics('/metrics?format=xml')).status).toBe(422)
})

test('need a key where the server has keys', async () => {
  server = await startAgentServer({ apiKeys: ['key'] })
  expect((await fetch(`${server.url}/metrics`)).status).toBe(401)
  expect((await metrics()).status).toBe(200)
})

test('/info says of which deployment the server is', async () => {
  server = await startAgentServer({ deploymentId: 'd', revisionId: 'r' })
  expect(await (await metrics('/info')).json()).toMatchObject({
    host: { kind: 'self-hosted', project_id: 'd', host_revision_id: 'r', tenant_id: null },
  })
})

test('the database is asked when /ok is told to, and what the server says it is', async () => {
  server = await startAgentServer()
  const health = (database: string) => ({ ok: true, services: { database } })
  expect(await (await metrics('/ok?check_db=1')).json()).toEqual(health('healthy'))
  for (const path of ['/ok', '/']) {
    expect(await (await metrics(path)).json()).toEqual(health('skipped'))
  }
  const version = expect.stringMatching(/^1\.\d+\.\d+/)
  expect(await (await metrics('/info')).json()).toMatchObject({
    ...differing('versions', {
      javascript: { langgraph_js_version: version, context: 'js' },
      python: { langgraph_py_version: version },
    }),
    flags: {
      assistants: true,
      langsmith: false,
      langsmith_tracing_session_on_runs: true,
      mcp: true,
      stream_namespaces: true,
      strict_resume: true,
    },
    host: { kind: 'self-hosted', project_id: null, host_revision_id: null },
  })
  server.members[0].store.checkWrites = () => Promise.reject(new Error('gone'))
  const broken = await metrics('/ok?check_db=1')
  const detail = expect.any(String)
  expect([broken.status, await broken.json()]).toEqual([
    503,
    { ok: false, services: { database: 'unhealthy' }, detail },
  ])
  expect((await metrics('/ok')).status).toBe(200)
})
