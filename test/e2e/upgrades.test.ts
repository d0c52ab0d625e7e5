/** Handshakes of WebSockets through the gateway, by clients that want to do harm. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { silentLog } from '../../src/core/log.ts'
import { DEFAULT_WORKSPACE_ID } from '../../src/core/people/api-key.ts'
import { Gateway } from '../../src/gateway/gateway.ts'
import { type RunningAgentServer, startAgentServer } from '../support/agent/agent-server.ts'
import { eventually } from '../support/eventually.ts'
import { bytesInUse } from '../support/processes/memory.ts'

const CLIENTS = 50
const MAX_GROWTH_BYTES = 20_000_000
const TOKEN = 'token'
const PLACE = { deployment_id: 'd', workspace_id: DEFAULT_WORKSPACE_ID }

let agent: RunningAgentServer
let gateway: Gateway
let url: string
beforeAll(async () => {
  agent = await startAgentServer()
  gateway = new Gateway({
    authenticate: async () => ({
      user_id: 'u',
      name: 'u',
      kind: 'api_key',
      workspace_id: DEFAULT_WORKSPACE_ID,
      role: 'agent',
    }),
    fallback: 'echo',
    log: silentLog,
  })
  serveAs('echo', agent)
  url = await gateway.start({ host: '127.0.0.1', port: 0 })
})
afterAll(async () => {
  await gateway.stop()
  await agent.stop()
})

function serveAs(name: string, { url }: RunningAgentServer): void {
  const endpoints = [{ url, token: TOKEN }] as const
  gateway.targets.set(name, { ...PLACE, revision_id: name, endpoints: [...endpoints] })
}

/** Asks for an upgrade, and reads nothing of what comes. */
async function upgrade(base: string, path: string): Promise<Socket> {
  const socket = connect(Number(new URL(base).port), '127.0.0.1')
  socket.on('error', () => {})
  await once(socket, 'connect')
  socket.write(
    `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
      'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
  )
  return socket
}

test.each([
  ['at the agent server', () => agent.url],
  ['through the gateway', () => url],
])('streams that are asked for as WebSockets hold no memory %s', async (_where, base) => {
  const { client } = agent
  const { thread_id } = await client.threads.create()
  const sockets = await Promise.all(
    Array.from({ length: CLIENTS }, () => upgrade(base(), `/threads/${thread_id}/stream`)),
  )
  const before = await bytesInUse()
  // Each step shows a longer state: 8 MB, which one who followed it would be sent.
  const input = { label: 'x'.repeat(20_000), count: 28, ms: 0 }
  await client.runs.wait(thread_id, 'slow', { input, config: { recursion_limit: 50 } })
  await eventually(async () => (await bytesInUse()) - before).toBeLessThan(MAX_GROWTH_BYTES)
  for (const socket of sockets) socket.destroy()
})

test('a page of another site opens none, through the gateway as at the agent server', async () => {
  const project = { projectName: 'routes', configName: 'prefixed.json' }
  const closed = await startAgentServer({ ...project, gatewayToken: TOKEN })
  serveAs('echo', closed)
  const path = `/team/api/threads/${crypto.randomUUID()}/stream/events`
  const open = (origin: string) => new WebSocket(url.replace('http', 'ws') + path, { origin })
  const [code] = await once(open('https://evil.test'), 'close')
  expect(code).toBe(4403)
  const allowed = open('https://app.test')
  await once(allowed, 'open')
  allowed.terminate()
  await closed.stop()
})
