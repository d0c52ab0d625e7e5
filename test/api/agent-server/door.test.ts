import { afterEach, expect, test } from 'vitest'
import {
  type RunningAgentServer,
  type StartOptions,
  startAgentServer,
} from '../../support/agent/agent-server.ts'

let server: RunningAgentServer

async function start(options: StartOptions = {}): Promise<void> {
  server = await startAgentServer(options)
}
afterEach(() => server.stop())

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${server.url}${path}`, { headers })

test('says that it is well and what it is', async () => {
  await start()
  expect(await (await get('/ok')).json()).toMatchObject({ ok: true })
  expect(await (await get('/ok?check_db=1')).json()).toMatchObject({ ok: true })
  const info = (await (await get('/info')).json()) as { flags: object }
  expect(info).toMatchObject({ version: '0.0.0-test', flags: { assistants: true } })
})

test('with keys, answers those who have one, in either header', async () => {
  await start({ apiKeys: ['first', 'second'] })
  expect((await get('/ok')).status).toBe(200)
  expect((await get('/info')).status).toBe(200)
  const refused = await get('/assistants/agent')
  expect(refused.status).toBe(401)
  expect(await refused.json()).toEqual({ detail: expect.stringContaining('API key') })
  expect((await get('/assistants/agent', { 'x-api-key': 'other' })).status).toBe(401)
  expect((await get('/assistants/agent', { 'x-api-key': 'second' })).status).toBe(200)
  expect((await get('/assistants/agent', { authorization: 'Bearer first' })).status).toBe(200)
})

test('behind a gateway, answers only the gateway', async () => {
  await start({ gatewayToken: 'secret' })
  expect((await get('/ok')).status).toBe(200)
  expect((await get('/assistants/agent')).status).toBe(401)
  expect((await get('/assistants/agent', { 'x-runyard-gateway': 'wrong' })).status).toBe(401)
  expect((await get('/assistants/agent', { 'x-runyard-gateway': 'secret' })).status).toBe(200)
})

test('of a public deployment, keeps to operators what is theirs', async () => {
  await start({ gatewayToken: 'secret' })
  const status = async (path: string, more = {}) =>
    (await get(path, { 'x-runyard-gateway': 'secret', ...more })).status
  for (const path of ['/metrics', '/%6detrics', '/webhooks/deliveries', '/webhooks/deliveries/1']) {
    expect([path, await status(path)]).toEqual([path, 401])
    expect([path, await status(path, { 'x-runyard-caller': 'ann' })]).not.toEqual([path, 401])
  }
  expect(await status('/assistants/agent')).toBe(200)
})

test('graphs see the headers of their caller, but no credentials', async () => {
  await start({ gatewayToken: 'secret' })
  const headers = {
    'x-runyard-gateway': 'secret',
    'x-api-key': 'key',
    'x-tenant-id': 'tenant',
    'x-user': 'u1',
    'content-type': 'application/json',
  }
  const body = JSON.stringify({ assistant_id: 'slow', input: { count: 1, ms: 1 } })
  const response = await fetch(`${server.url}/runs`, { method: 'POST', headers, body })
  const { kwargs } = (await response.json()) as { kwargs: { config: { configurable: object } } }
  expect(kwargs.config.configurable).toMatchObject({ 'x-user': 'u1' })
  expect(JSON.stringify(kwargs)).not.toMatch(/secret|"key"|"tenant"/)
})

test('browsers of any origin may call it and read where a run is', async () => {
  await start()
  const preflight = await fetch(`${server.url}/runs/wait`, {
    method: 'OPTIONS',
    headers: { origin: 'http://app.test', 'access-control-request-method': 'POST' },
  })
  expect(preflight.status).toBe(204)
  const response = await fetch(`${server.url}/runs/stream`, {
    method: 'POST',
    headers: { origin: 'http://app.test' },
    body: JSON.stringify({ assistant_id: 'slow', input: { count: 1, ms: 1 } }),
  })
  expect(response.headers.get('access-control-allow-origin')).toBe('*')
  expect(response.headers.get('access-control-expose-headers')).toContain('Content-Location')
  await response.text()
})

test('describes itself', async () => {
  await start()
  const document = (await (await get('/openapi.json')).json()) as { paths: object }
  expect(Object.keys(document.paths)).toEqual(
    expect.arrayContaining(['/threads', '/threads/{thread_id}/runs/stream', '/runs/wait', '/ok']),
  )
})
