/** `http` of langgraph.json: a project's own routes around the API, and how that is served. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { Client } from '@langchain/langgraph-sdk'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Log } from '../../../src/core/log.ts'
import { silentLog } from '../../../src/core/log.ts'
import {
  clientOf,
  type RunningAgentServer,
  startAgentServer,
} from '../../support/agent/agent-server.ts'
import { differing } from '../../support/agent/language.ts'

const start = (configName: string, more: object = {}) =>
  startAgentServer({ projectName: 'routes', configName, ...more })

describe('the routes of a project', () => {
  const logged: object[] = []
  const log: Log = { ...silentLog, error: (fields) => logged.push(fields), child: () => log }
  let server: RunningAgentServer

  beforeAll(async () => {
    server = await start('langgraph.json', { log, apiKeys: ['key'] })
  })
  afterAll(() => server.stop())

  const ask = (path: string, init: RequestInit = {}) => {
    const headers = { 'x-api-key': 'key', ...(init.headers as Record<string, string>) }
    return fetch(server.url + path, { ...init, headers })
  }
  const client = () => new Client({ apiUrl: server.url, apiKey: 'key' })

  test('are answered beside the API, and before it', async () => {
    expect(await (await ask('/hello?name=you')).json()).toEqual({ hello: 'you' })
    expect(await (await ask('/threads/mine')).text()).toBe('before the API')
    expect((await ask('/info')).status).toBe(200)
  })

  test('ask for the key of the server like everything else', async () => {
    expect((await fetch(`${server.url}/hello`)).status).toBe(401)
  })

  /** Everything that a connection answers to these requests, sent one after the other. */
  const onOneConnection = async (...paths: string[]) => {
    const { hostname, port } = new URL(server.members[0].url)
    const socket = connect(Number(port), hostname)
    const lines = paths.map((path) => `GET ${path} HTTP/1.1\r\nhost: a\r\nx-api-key: key\r\n\r\n`)
    socket.write(`${lines.join('')}GET /info HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`)
    return (await text(socket)).split('\r\n\r\n')
  }

  test('never send more than they announce, nor anything after fewer', async () => {
    const [, exact, short] = await onOneConnection('/sends/5/hello', '/sends/5/hello,more,and+more')
    expect(exact).toMatch(/^helloHTTP\/1\.1 200/)
    expect(short).toMatch(/^helloHTTP\/1\.1 200/)
    // What was asked behind these is asked again by its client, on another connection.
    expect(await onOneConnection('/sends/5/hel,lower')).toEqual([expect.anything(), 'hello'])
    expect(await onOneConnection('/sends/9/hel,lo')).toEqual([expect.anything(), 'hello'])
    await expect(ask('/sends/9/hello').then((cut) => cut.text())).rejects.toThrow('terminated')
  })

  test('pass on what they have fetched as it was unpacked', async () => {
    const page = createServer((_, response) => {
      const packed = gzipSync('a page '.repeat(100))
      response.setHeader('content-encoding', 'gzip').setHeader('content-length', packed.length)
      response.end(packed)
    }).listen(0, '127.0.0.1')
    await once(page, 'listening')
    const url = `http://127.0.0.1:${(page.address() as AddressInfo).port}/`
    const answer = await ask(`/passes-on?url=${encodeURIComponent(url)}`)
    expect(answer.headers.get('content-encoding')).toBeNull()
    expect(await answer.text()).toBe('a page '.repeat(100))
    page.close()
  })

  test('get forms as forms', async () => {
    const body = new URLSearchParams({ name: 'a form' })
    expect(await (await ask('/form', { method: 'POST', body })).json()).toEqual({ name: 'a form' })
  })

  test('have middleware around the API, which may answer in its place', async () => {
    const run = { method: 'POST', body: JSON.stringify({ assistant_id: 'agent', input: {} }) }
    const blocked = await ask('/runs/wait', { ...run, headers: { 'x-blocked': '1' } })
    expect([blocked.status, await blocked.text()]).toEqual([418, 'Not today.'])
    const answered = await ask('/runs/wait', run)
    expect(answered.headers.get('x-by')).toBe('the project')
    // To its end: the thread of the run goes with it.
    await answered.text()
  })

  test('have middleware that sets headers of streams after next()', async () => {
    const body = JSON.stringify({ assistant_id: 'agent', input: { question: 'x' } })
    const stream = await ask('/runs/stream', { method: 'POST', body })
    expect(stream.headers.get('x-by')).toBe('the project')
    expect(stream.headers.get('content-location')).toMatch(/\/runs\//)
    expect(await stream.text()).toContain('event: values')
  })

  test('hide no route of the API and no 404 behind their notFound', async () => {
    expect(await client().threads.count()).toBeTypeOf('number')
    const missing = await ask('/nowhere')
    expect(missing.status).toBe(404)
    expect(await missing.json()).toEqual({ detail: 'No route GET /nowhere.' })
  })

  test('are not told by which methods they are there, unlike the routes of the API', async () => {
    expect((await ask('/hello', { method: 'PUT' })).status).toBe(404)
    const refused = await ask('/threads', { method: 'PUT' })
    expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'POST'])
  })

  test('talk to the API in process with a client that has no address', async () => {
    await client().threads.create()
    const threads = await client().threads.count()
    expect(await (await ask('/ask/why')).json()).toMatchObject({
      events: ['metadata', 'values', 'values'],
      // The run's own thread counts too.
      values: { question: 'why', threads: threads + 1 },
    })
  })

  test.each([
    ['/throws', 'the cellar is flooded'],
    ['/throws-text', 'no error at all'],
    ...differing('no answer', { javascript: [['/forgets', '']], python: [] }),
  ] as [string, string][])('answer and log their failures (%s)', async (path, reason) => {
    logged.length = 0
    const failed = await ask(path)
    expect(failed.status).toBe(500)
    expect(await failed.json()).toEqual({ detail: expect.stringContaining('log') })
    expect(logged).toMatchObject([{ err: { message: expect.stringContaining(reason) }, path }])
  })

  test('may refuse by the exceptions of their own Hono', async () => {
    const refused = await ask('/refuses')
    const said = differing('refusals', {
      javascript: 'Someone was faster.',
      python: '{"detail":"Someone was faster."}',
    })
    expect([refused.status, await refused.text()]).toEqual([409, said])
  })

  test('do not end the server by what they leave behind', async () => {
    expect(await (await ask('/rejects-later')).text()).toBe('answered')
    expect((await ask('/hello')).status).toBe(200)
  })
})

describe('a server of one configuration', () => {
  let server: RunningAgentServer
  afterEach(() => server.stop())

  const status = async (path: string, headers: Record<string, string> = {}) =>
    (await fetch(server.url + path, { headers })).status

  test('lets its middleware read the request, and have the last word on the answer', async () => {
    server = await start('around.json')
    const body = JSON.stringify({ metadata: { a: 5 } })
    const headers = { origin: 'https://app.test' }
    const created = await fetch(`${server.url}/threads`, { method: 'POST', headers, body })
    expect(await created.json()).toMatchObject({ metadata: { a: 5 } })
    expect(Object.fromEntries(created.headers)).toMatchObject({
      'x-asked-for': '5',
      'access-control-allow-origin': 'https://around.test',
      'access-control-expose-headers': expect.stringContaining('Content-Location'),
    })
    expect(created.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
    expect(created.headers.has('x-request-id')).toBe(false)
    const replaced = await fetch(`${server.url}/assistants/agent`)
    expect([replaced.status, await replaced.text()]).toEqual([203, 'instead of 200'])
    const refused = await fetch(`${server.url}/assistants/missing`)
    expect(await refused.text()).toMatch(/^instead of .*missing/)
    const changed = await fetch(`${server.url}/store/items`, { method: 'PUT', body: '{}' })
    expect([changed.status, await changed.text()]).toEqual([422, expect.stringContaining('key')])
    const own = await fetch(`${server.url}/cors`, { headers })
    expect(own.headers.get('access-control-allow-origin')).toBe('https://app.test')
    const head = await fetch(`${server.url}/from`, { method: 'HEAD' })
    expect([head.status, head.headers.get('content-type')]).toEqual([200, 'application/json'])
  })

  test('tells its routes where a request comes from', async () => {
    server = await start('around.json')
    const from = await (await fetch(`${server.url}/from?x=1`)).json()
    expect(from).toEqual({
      address: '127.0.0.1',
      port: expect.any(Number),
      ...differing('connections', { javascript: { addressType: 'IPv4' }, python: {} }),
      path: '/from',
    })
  })

  test('leaves errors to the app that handles its own', async () => {
    server = await start('careful.json')
    const failed = await fetch(`${server.url}/throws`)
    expect([failed.status, await failed.text()]).toEqual([503, 'careful: oh'])
    expect(await status('/assistants/missing')).toBe(404)
  })

  test('asks the auth of the project before its routes, and routes learn who it is', async () => {
    server = await start('guarded.json')
    expect(await status('/hello')).toBe(401)
    const known = await fetch(`${server.url}/whoami`, { headers: { 'x-name': 'ann' } })
    expect(await known.json()).toMatchObject({ name: { identity: 'ann' } })
  })

  test('warns of routes that are open although auth is asked before routes', async () => {
    const warnings: object[] = []
    const log: Log = {
      ...silentLog,
      warn: (fields) => void warnings.push(fields),
      child: () => log,
    }
    server = await start('half-open.json', { log })
    expect(warnings).toEqual([])
    await server.stop()
    server = await start('guarded.json', { log })
    expect(await status('/ui/report')).toBe(200)
    expect(warnings).toEqual(server.members.map(() => ({ routes: ['/ui/report'] })))
  })

  test('leaves its routes open where the project says so, and the API closed', async () => {
    server = await start('half-open.json')
    expect(await status('/hello')).toBe(200)
    expect(await status('/threads/mine')).toBe(200)
    expect(await status('/assistants/agent')).toBe(401)
    expect(await status('/assistants/agent', { 'x-name': 'ann' })).toBe(200)
  })

  test('tells its driver that it is well, whatever its middleware lets in', async () => {
    server = await start('closed.json', { gatewayToken: 'secret' })
    expect(await status('/ok')).toBe(401)
    expect(await status('/ok', { 'x-runyard-gateway': 'secret' })).toBe(200)
    const passedOn = { 'x-runyard-gateway': 'secret', 'x-forwarded-for': '192.0.2.1' }
    expect(await status('/ok', passedOn)).toBe(401)
  })

  test('is below its prefix, and only there but for /ok', async () => {
    server = await start('prefixed.json')
    const below = `${server.url}/team/api`
    expect(await status('/ok')).toBe(200)
    expect(await status('/team/api/ok')).toBe(200)
    expect(await status('/team/api/hello')).toBe(200)
    expect(await status('/hello')).toBe(404)
    expect(await status('/team/apis/hello')).toBe(404)
    const { threads, runs } = clientOf(below)
    const { thread_id } = await threads.create()
    const values = await runs.wait(thread_id, 'agent', { input: { question: 'x' } })
    expect(values).toMatchObject({ threads: 1 })
    expect(await status('/threads/search')).toBe(404)
  })

  test('answers 404 to the parts that are left out, and does not describe them', async () => {
    server = await start('prefixed.json')
    expect(await status('/team/api/assistants/agent')).toBe(404)
    expect(await status('/team/api/store/items?namespace=a&key=b')).toBe(404)
    const document = (await (await fetch(`${server.url}/team/api/openapi.json`)).json()) as {
      paths: Record<string, unknown>
    }
    const paths = Object.keys(document.paths)
    expect(paths).toContain('/threads')
    expect(paths.filter((path) => /^\/(assistants|store)/.test(path))).toEqual([])
  })

  test('shows graphs the headers that the project names', async () => {
    server = await start('prefixed.json')
    const response = await fetch(`${server.url}/team/api/runs/wait`, {
      method: 'POST',
      headers: {
        'x-team-name': 'red',
        'x-team-secret': 'no',
        'x-other': 'no',
        authorization: 'Bearer t',
      },
      body: JSON.stringify({ assistant_id: 'agent', input: { question: 'x' } }),
    })
    const { headers } = (await response.json()) as { headers: object }
    expect(headers).toEqual({ 'x-team-name': 'red', authorization: 'Bearer t' })
  })

  test('lets the origins in that the project names', async () => {
    server = await start('prefixed.json')
    const from = async (origin: string) => {
      const { headers } = await fetch(`${server.url}/team/api/ok`, { headers: { origin } })
      return headers.get('access-control-allow-origin')
    }
    expect(await from('https://app.test')).toBe('https://app.test')
    expect(await from('https://one.preview.test')).toBe('https://one.preview.test')
    expect(await from('https://one.preview.test.evil.test')).toBeNull()
    expect(await from('https://evil.test')).toBeNull()
    const { headers } = await fetch(`${server.url}/team/api/threads`, {
      method: 'OPTIONS',
      headers: { origin: 'https://app.test', 'access-control-request-method': 'POST' },
    })
    expect(Object.fromEntries(headers)).toMatchObject({
      'access-control-allow-credentials': 'true',
      'access-control-allow-methods': 'GET,POST',
      'access-control-allow-headers': 'x-team-name',
      'access-control-max-age': '60',
    })
    const answer = await fetch(`${server.url}/team/api/ok`, {
      headers: { origin: 'https://app.test' },
    })
    const exposed = answer.headers.get('access-control-expose-headers')
    expect(exposed).toMatch(/^x-by,Content-Location,Location,X-Pagination-Total/)
  })
})

test('what is no app is refused with its file', async () => {
  const refusal = differing('apps', {
    javascript: /http\.app: "noApp" of \.\/app\.ts is no Hono/,
    python: /http\.app: "no_app" of .*\/app\.py is no ASGI app/,
  })
  await expect(start('no-app.json')).rejects.toThrow(refusal)
})
