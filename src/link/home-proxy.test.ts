import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { startHomeProxy } from './home-proxy.ts'

const closing: (() => Promise<void> | void)[] = []

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

async function proxied(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const server = createServer(answer)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const stop = () => {
    server.closeAllConnections()
    server.close()
  }
  closing.push(stop)
  const { port } = server.address() as AddressInfo
  const proxy = await startHomeProxy({ url: `http://127.0.0.1:${port}`, key: 'ryd_the_key' })
  closing.push(() => proxy.stop())
  return { url: proxy.url, stop }
}

/** Answers with what it was asked. */
function echo(request: IncomingMessage, response: ServerResponse): void {
  const chunks: Buffer[] = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.on('end', () => {
    const { method, url, headers } = request
    const body = Buffer.concat(chunks).toString()
    response.writeHead(201, { 'x-answer': 'yes', 'content-type': 'application/json' })
    response.end(JSON.stringify({ method, url, headers, body }))
  })
}

test.each([
  ['without a key', {}],
  ['with an empty one', { 'x-api-key': '' }],
  ['with another one', { 'x-api-key': 'undefined', authorization: 'Bearer x' }],
])('a request to the vault %s has the deployment’s', async (_, headers) => {
  const { url } = await proxied(echo)
  const init = { method: 'POST', headers: { ...headers, 'x-mine': 'kept' }, body: '{"a":1}' }
  const response = await fetch(`${url}/v2/auth/authenticate?wait=1`, init)
  const asked = (await response.json()) as { headers: object }
  expect([response.status, response.headers.get('x-answer')]).toEqual([201, 'yes'])
  expect(asked).toMatchObject({
    method: 'POST',
    url: '/v2/auth/authenticate?wait=1',
    body: '{"a":1}',
    headers: { 'x-api-key': 'ryd_the_key', 'x-mine': 'kept' },
  })
  expect(asked.headers).not.toHaveProperty('authorization')
})

test.each(['/agents/other/ok', '/v2/auth/../deployments', '/v2/authority'])(
  'a request to %s has its own key, and no other',
  async (path) => {
    const { url } = await proxied(echo)
    const own = await fetch(url + path, { headers: { 'x-api-key': 'mine' } })
    expect(await own.json()).toMatchObject({ headers: { 'x-api-key': 'mine' } })
    const none = await fetch(url + path)
    expect(await none.json()).not.toHaveProperty(['headers', 'x-api-key'])
  },
)

test('nothing is passed on without the path of the address', async () => {
  const { url } = await proxied(echo)
  const { origin } = new URL(url)
  for (const path of ['/v2/auth/tokens', '/', '/guess/v2/auth/tokens']) {
    expect((await fetch(origin + path)).status).toBe(404)
  }
})

test('an answer comes as it is written, and its end reaches the control plane', async () => {
  const left = Promise.withResolvers<void>()
  const { url } = await proxied((_, response) => {
    response.on('close', () => left.resolve())
    response.write('first')
  })
  const leaving = new AbortController()
  const response = await fetch(`${url}/v2/auth/wait`, { signal: leaving.signal })
  const reader = response.body?.getReader()
  expect(new TextDecoder().decode((await reader?.read())?.value)).toBe('first')
  leaving.abort()
  await left.promise
})

test('a control plane that is away is a 502 that says so', async () => {
  const { url, stop } = await proxied(echo)
  stop()
  const response = await fetch(`${url}/v2/auth/tokens`)
  expect([response.status, await response.json()]).toEqual([
    502,
    { detail: expect.stringContaining('The control plane cannot be reached') },
  ])
})
