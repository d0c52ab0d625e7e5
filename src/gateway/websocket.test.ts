import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { describe, expect, it } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import {
  type Agent,
  exchangeBytes,
  KEY,
  OTHER_KEY,
  openWorld,
} from '../../test/support/gateway/gateway-world.ts'
import { forEachTest } from '../../test/support/running.ts'

const world = forEachTest(() => openWorld({ restartWaitMs: 500 }))

describe('a WebSocket', () => {
  it('carries messages both ways, with the rules of headers kept', async () => {
    const { agent, sockets } = await serveEcho()
    const socket = connect('/threads/1/stream?x=%2F', {
      'x-api-key': KEY,
      'x-runyard-gateway': 'me',
    })
    const upgraded = once(socket, 'upgrade')
    await once(socket, 'open')
    const [answer] = (await upgraded) as [IncomingMessage]
    expect(answer.headers['x-runyard-revision']).toBe('revision-1')
    for (const message of ['hello', 'x'.repeat(1_000_000)]) {
      socket.send(message)
      const [echoed] = await once(socket, 'message')
      expect(String(echoed) === message).toBe(true)
    }
    expect(sockets[0]?.url).toBe('/threads/1/stream?x=%2F')
    expect(sockets[0]?.headers).toMatchObject({
      'x-runyard-gateway': agent.target.endpoints[0].token,
      'x-forwarded-prefix': '/agents/agent',
    })
  })

  it('passes the close code on', async () => {
    await serveEcho()
    const socket = connect('/close')
    const [code, reason] = await once(socket, 'close')
    expect([code, String(reason)]).toEqual([4404, 'no such thread'])
  })

  it('closes at the agent server when the client goes away', async () => {
    const { closed } = await serveEcho()
    const socket = connect('/x')
    await once(socket, 'open')
    socket.terminate()
    await closed
  })

  it('breaks at the client when the agent server dies', async () => {
    const { agent } = await serveEcho()
    const socket = connect('/x')
    await once(socket, 'open')
    agent.kill()
    const [code] = await once(socket, 'close')
    expect(code).toBe(1006)
  })

  it('is counted, and cut when the drain has waited long enough', async () => {
    const { agent } = await serveEcho()
    const socket = connect('/x')
    await once(socket, 'open')
    const closed = once(socket, 'close')
    await world.gateway.targets.drain(agent.target, 10)
    expect((await closed)[0]).toBe(1006)
  })
})

describe('a handshake', () => {
  it.each([
    [401, '/agents/agent/x', ''],
    [401, '/agents/agent/ok', ''],
    [404, '/agents/agent/x', OTHER_KEY],
    [404, '/agents/nobody/x', KEY],
    [404, '/v2/deployments', KEY],
    [400, '/agents/agent/../x', KEY],
  ])('is refused with %d for %s and the key "%s"', async (status, path, key) => {
    await serveEcho()
    expect(await handshake(path, `X-Api-Key: ${key}`)).toMatch(
      new RegExp(`^HTTP/1.1 ${status} .*\\r\\n\\r\\n\\{"detail":`, 's'),
    )
  })

  it('is refused with 503 when no agent server answers', async () => {
    const { agent } = await serveEcho()
    agent.kill()
    expect(await handshake('/agents/agent/x', `X-Api-Key: ${KEY}`)).toMatch(/^HTTP\/1.1 503 /)
  })

  it('that the agent server refuses is answered as it did', async () => {
    const agent = await world.serveAgent(() => {})
    agent.server.on('upgrade', (_req, socket) => {
      socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 6\r\nX-Why: because\r\n\r\nnot so')
    })
    const answer = await handshake('/agents/agent/x', `X-Api-Key: ${KEY}`)
    expect(answer).toMatch(/^HTTP\/1.1 403 .*X-Why: because.*x-runyard-revision.*not so$/s)
  })

  it('to another protocol is answered as a plain request', async () => {
    await world.serveAgent((_req, res) => res.end('plain'))
    const answer = await exchangeBytes(
      world.port,
      `GET /agents/agent/x HTTP/1.1\r\nHost: a\r\nX-Api-Key: ${KEY}\r\n` +
        'Connection: Upgrade, HTTP2-Settings, close\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAA\r\n\r\n',
    )
    expect(answer).toMatch(/^HTTP\/1.1 200 .*plain/s)
  })
})

it('is cut when the gateway stops, which waits for no client', async () => {
  const { closed } = await serveEcho()
  const socket = connect('/x')
  await once(socket, 'open')
  await world.gateway.stop()
  await closed
})

function connect(path: string, headers: Record<string, string> = { 'x-api-key': KEY }): WebSocket {
  const socket = new WebSocket(`ws://127.0.0.1:${world.port}/agents/agent${path}`, { headers })
  socket.on('error', () => {})
  return socket
}

async function handshake(path: string, header: string): Promise<string> {
  return await exchangeBytes(
    world.port,
    `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
      `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n${header}\r\n\r\n`,
  )
}

async function serveEcho(): Promise<{
  agent: Agent
  sockets: IncomingMessage[]
  closed: Promise<void>
}> {
  const agent = await world.serveAgent((_req, res) => res.end())
  const sockets: IncomingMessage[] = []
  const closed = Promise.withResolvers<void>()
  const server = new WebSocketServer({ server: agent.server })
  server.on('connection', (socket, req) => {
    sockets.push(req)
    socket.on('close', () => closed.resolve())
    if (req.url === '/close') return socket.close(4404, 'no such thread')
    socket.on('message', (data, isBinary) => socket.send(data, { binary: isBinary }))
  })
  return { agent, sockets, closed: closed.promise }
}
