import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { openEngine } from './engine.ts'
import { waitForEnd } from './running.ts'

let server: Server | undefined
afterEach(() => server?.close())

/** What an engine that answers with these headers is asked, in order. */
async function askedOf(headers: Record<string, string>): Promise<string[]> {
  const asked: string[] = []
  server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    response.writeHead(200, headers).end('0')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const engine = openEngine({ host: `tcp://127.0.0.1:${port}`, certs: undefined })
  await waitForEnd(engine, 'one', new AbortController().signal)
  return asked
}

test('Docker is asked as Docker is', async () => {
  expect(await askedOf({ 'api-version': '1.41' })).toEqual([
    'GET /_ping',
    'POST /containers/one/wait',
  ])
})

test('podman is told how often to look', async () => {
  expect(await askedOf({ 'libpod-api-version': '4.3.1' })).toEqual([
    'GET /_ping',
    'POST /v4.3.1/libpod/containers/one/wait?interval=250ms',
  ])
})

test('an engine that is gone settles the wait', async () => {
  const engine = openEngine({ host: 'unix:///nowhere/engine.sock', certs: undefined })
  await waitForEnd(engine, 'one', new AbortController().signal)
})
