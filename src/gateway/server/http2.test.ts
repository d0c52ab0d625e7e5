/** The gateway over TLS: HTTP/2, and HTTP/1.1 for clients that do not speak it. */
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
} from 'node:http2'
import https from 'node:https'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { CERTIFICATE } from '../../../test/support/gateway/certificate.ts'
import { echo, KEY, openWorld, type World } from '../../../test/support/gateway/gateway-world.ts'
import { close, listen } from '../../http/listen.ts'
import { createTlsServer } from './http2.ts'

const ca = CERTIFICATE.cert

let world: World
let session: ClientHttp2Session
beforeEach(async () => {
  world = await openWorld({ certificate: CERTIFICATE, restartWaitMs: 60_000 })
  session = connect(world.url, { ca })
  session.on('error', () => {})
})
afterEach(async () => {
  session.destroy()
  await world.close()
})

interface Answer {
  headers: IncomingHttpHeaders & { ':status'?: number }
  body: string
}

function open(path: string, headers: OutgoingHttpHeaders = {}): ClientHttp2Stream {
  const stream = session.request(
    { ':path': `/agents/agent${path}`, 'x-api-key': KEY, ...headers },
    { endStream: headers[':method'] !== 'POST' },
  )
  return stream.setEncoding('utf8')
}

/** Rejects when the answer breaks off. */
async function whole(stream: ClientHttp2Stream): Promise<Answer> {
  const [headers] = (await once(stream, 'response')) as [Answer['headers']]
  let body = ''
  for await (const chunk of stream) body += chunk
  return { headers, body }
}

describe('a request over HTTP/2', () => {
  test('reaches the agent server as one over HTTP/1.1 does', async () => {
    await world.serveAgent(echo)
    const stream = open('/threads?x=%2F', {
      ':method': 'POST',
      cookie: ['a=1', 'b=2'],
      'x-runyard-gateway': 'me',
    })
    stream.write('in ')
    stream.end('pieces')
    const { headers, body } = await whole(stream)
    expect(headers).toMatchObject({ ':status': 200, 'x-runyard-revision': 'revision-1' })
    const seen = JSON.parse(body)
    expect(seen).toMatchObject({ method: 'POST', url: '/threads?x=%2F', body: 'in pieces' })
    const { host } = new URL(world.url)
    expect(seen.headers).toMatchObject({
      host,
      cookie: 'a=1; b=2',
      'x-forwarded-host': host,
      'x-forwarded-proto': 'https',
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-prefix': '/agents/agent',
      'x-runyard-gateway': 'token-of-revision-1',
    })
    expect(Object.keys(seen.headers).filter((name) => name.startsWith(':'))).toEqual([])
  })

  test('is answered with all headers but those of a connection', async () => {
    await world.serveAgent((_req, res) => {
      const cookies = ['set-cookie', 'a=1', 'set-cookie', 'b=2']
      res.writeHead(201, 'Made', [...cookies, 'keep-alive', 'timeout=5', 'x-it', 'is'])
      res.end('made'.repeat(1_000_000))
    })
    const { headers, body } = await whole(open('/'))
    const set = ['a=1; Path=/agents/agent', 'b=2; Path=/agents/agent']
    expect(headers).toMatchObject({ ':status': 201, 'set-cookie': set, 'x-it': 'is' })
    expect(headers['keep-alive']).toBeUndefined()
    expect(body.length).toBe(4_000_000)
  })

  test('is answered with all trailers but those of a connection', async () => {
    await world.serveAgent((_req, res) => {
      res.write('body')
      res.addTrailers({ Digest: '1', Connection: 'close', TE: 'gzip' })
      res.end()
    })
    const stream = open('/')
    const trailers = once(stream, 'trailers')
    expect((await whole(stream)).body).toBe('body')
    const [seen] = (await trailers) as [IncomingHttpHeaders]
    expect(Object.entries(seen)).toEqual([['digest', '1']])
  })

  test('is refused when a header of the answer would hide others', async () => {
    const forged = 'X-It: a\0\0set-cookie\0runyard_session=b'
    await world.serveAgent((req) => {
      req.socket.end(`HTTP/1.1 200 OK\r\n${forged}\r\nContent-Length: 0\r\n\r\n`)
    })
    const { headers } = await whole(open('/'))
    expect(headers[':status']).toBe(503)
    expect(headers['set-cookie']).toBeUndefined()
  })

  test('is refused in words, its preflight let pass, and its body limited', async () => {
    await world.serveAgent(echo)
    const refused = await whole(open('/', { 'x-api-key': 'wrong' }))
    expect(refused.headers).toMatchObject({
      ':status': 401,
      'access-control-allow-origin': '*',
    })
    expect(JSON.parse(refused.body)).toEqual({ detail: expect.stringContaining('API key') })
    const late = open('/', { ':method': 'POST', 'x-api-key': 'wrong' })
    expect((await whole(late)).headers[':status']).toBe(401)
    late.close()
    const fallback = session.request({ ':path': '/v2/x' })
    expect(await whole(fallback)).toMatchObject({ body: 'control plane: /v2/x' })
  })

  test('that is answered and given up does not stay open for the rest of its body', async () => {
    let giveUp = () => {}
    const server = createTlsServer(CERTIFICATE).on('request', (req, res) => {
      giveUp = () => req.destroy()
      req.resume()
      res.end('enough')
    })
    const client = connect(await listen(server, { host: '127.0.0.1', port: 0 }), { ca })
    const stream = client.request({ ':method': 'POST' }, { endStream: false })
    // Nothing closes it here; a loop over its chunks would.
    await once(stream.resume(), 'end')
    giveUp()
    await once(stream, 'close')
    expect(stream.rstCode).toBe(constants.NGHTTP2_NO_ERROR)
    client.close()
    await close(server)
  })
})

describe('streams over HTTP/2', () => {
  test('are open side by side, more than the six of HTTP/1.1, and told as they come', async () => {
    const held: ServerResponse[] = []
    await world.serveAgent((req, res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' })
      res.write(`data: ${req.url}\n\n`)
      held.push(res)
    })
    const streams = Array.from({ length: 20 }, (_, i) => open(`/${i}`))
    const first = await Promise.all(streams.map(async (stream) => (await once(stream, 'data'))[0]))
    expect(first).toEqual(streams.map((_, i) => `data: /${i}\n\n`))
    for (const res of held) res.end()
    for (const stream of streams) stream.resume()
    await Promise.all(streams.map((stream) => once(stream, 'end')))
  })

  test('that a client leaves are left at the agent server, and no others', async () => {
    const left: Promise<unknown>[] = []
    await world.serveAgent((_req, res) => {
      left.push(once(res, 'close'))
      res.write('x')
    })
    const [one, other] = [open('/1'), open('/2')]
    await Promise.all([once(one, 'data'), once(other, 'data')])
    one.close(constants.NGHTTP2_CANCEL)
    await Promise.race(left)
    expect(other.closed).toBe(false)
    session.destroy()
    await Promise.all(left)
  })

  test('break when the agent server dies, and do not seem to end', async () => {
    const agent = await world.serveAgent((_req, res) => void res.write('x'))
    const stream = open('/')
    await once(stream, 'data')
    agent.kill()
    await expect(once(stream, 'end')).rejects.toThrow('NGHTTP2_INTERNAL_ERROR')
    expect(session.closed).toBe(false)
  })

  test('of a replaced revision are cut one by one, while no request fails', async () => {
    const answer = (name: string) => (req: IncomingMessage, res: ServerResponse) => {
      res.write(name)
      if (req.url !== '/stream') res.end()
    }
    const before = await world.startAgent('before', answer('before'))
    world.gateway.targets.set('agent', before.target)
    const stream = open('/stream', {})
    await once(stream, 'data')
    const bodies = new Set<string>()
    let isOver = false
    const ask = async () => {
      while (!isOver) {
        const { headers, body } = await whole(open('/'))
        expect(headers[':status']).toBe(200)
        bodies.add(body)
      }
    }
    const asking = Array.from({ length: 5 }, ask)
    for (let i = 0; i < 10; i += 1) {
      const next = await world.startAgent(`after-${i}`, answer(`after-${i}`))
      world.gateway.targets.set('agent', next.target)
      await expect.poll(() => bodies).toContain(`after-${i}`)
    }
    const broken = once(stream, 'error')
    await world.gateway.targets.drain({ revision_id: 'before' }, 0, 0)
    await broken
    isOver = true
    await Promise.all(asking)
  })
})

describe('beside HTTP/2', () => {
  test('HTTP/1.1 is spoken with who asks for it', async () => {
    await world.serveAgent(echo)
    const options = { ca, headers: { 'x-api-key': KEY } }
    const [answer] = await once(https.get(`${world.url}/agents/agent/x`, options), 'response')
    expect([answer.httpVersion, answer.statusCode]).toEqual(['1.1', 200])
    answer.resume()
  })

  test('WebSockets are carried both ways', async () => {
    const agent = await world.serveAgent((_req, res) => res.end())
    new WebSocketServer({ server: agent.server }).on('connection', (socket) => {
      socket.on('message', (data) => socket.send(`you said ${data}`))
    })
    const url = `${world.url.replace('http', 'ws')}/agents/agent/x`
    const socket = new WebSocket(url, { ca, headers: { 'x-api-key': KEY } })
    await once(socket, 'open')
    socket.send('hello')
    expect(String((await once(socket, 'message'))[0])).toBe('you said hello')
    socket.terminate()
  })
})
