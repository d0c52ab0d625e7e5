/** Clients that ask for large pages and read nothing, of a server with little memory. */
import { connect, type Socket } from 'node:net'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { residentMb } from '../support/processes/processes.ts'
import { type ServeProcess, startServeProcess } from '../support/processes/serve-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const THREAD_BYTES = 20_000_000
const READERS = 20
/** All pages together would have 1.2 GB. */
const HEAP_MB = 400

const folder = temporaryFolder()
let serving: ServeProcess
beforeAll(async () => {
  const args = ['serve', '--port', '0', '--data-dir', folder]
  serving = await startServeProcess(join(ROOT, 'bin/runyard'), args, {
    cwd: join(ROOT, 'test/fixtures/projects/echo'),
    env: {
      // As stored by a version that had no limit.
      RUNYARD_MAX_METADATA_BYTES: '50000000',
      NODE_OPTIONS: `--max-old-space-size=${HEAP_MB}`,
    },
  })
})
afterAll(async () => {
  await serving.stop()
})

const post = (path: string, body: object) => {
  const headers = { 'content-type': 'application/json' }
  return fetch(`${serving.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
}

function askAndWait(): Socket {
  const { hostname, port } = new URL(serving.url)
  const socket = connect(Number(port), hostname).pause()
  const body = '{"limit":10}'
  const headers = `host: ${hostname}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}`
  socket.write(`POST /threads/search HTTP/1.1\r\n${headers}\r\n\r\n${body}`)
  return socket
}

it('refuses what it cannot keep, and goes on', async () => {
  const metadata = { text: 'x'.repeat(THREAD_BYTES) }
  for (let i = 0; i < 3; i++) expect((await post('/threads', { metadata })).status).toBe(200)
  const readers = Array.from({ length: READERS }, askAndWait)
  await expect.poll(async () => (await post('/threads/search', {})).status).toBe(503)
  expect((await fetch(`${serving.url}/ok`)).status).toBe(200)
  const input = { messages: [{ role: 'user', content: 'hello' }] }
  const run = await post('/runs/wait', { assistant_id: 'agent', input })
  expect(await run.text()).toContain('echo: hello')
  // 440 as measured; without a budget all 21 pages are in memory.
  expect(residentMb(Number(serving.process.pid))).toBeLessThan(900)
  for (const one of readers) one.destroy()
  await expect.poll(async () => (await post('/threads/search', {})).status).toBe(200)
  expect(serving.process.exitCode).toBeNull()
})
