import { createHash } from 'node:crypto'
import { once } from 'node:events'
import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import net from 'node:net'
import type { Writable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { KEY, openWorld, withKey } from '../../test/support/gateway/gateway-world.ts'
import { forEachTest } from '../../test/support/running.ts'

const CHUNK = Buffer.alloc(64 * 1024, 'x')
const TOTAL_BYTES = 50 * 1024 * 1024
/** More than the buffers of the sockets between the two ends can hold. */
const IN_FLIGHT_BYTES = 24 * 1024 * 1024

const world = forEachTest(openWorld)

describe('an event stream', () => {
  it('arrives event by event while the agent server still writes', async () => {
    const opened = Promise.withResolvers<ServerResponse>()
    await world.serveAgent((_req, res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
      opened.resolve(res)
    })
    const response = await fetch(`${world.url}/agents/agent/runs/stream`, withKey)
    const upstream = await opened.promise
    const reader = readerOf(response)
    for (const event of ['id: 0\ndata: 1\n\n', ': heartbeat\n\n', 'id: 1\ndata: 2\n\n']) {
      upstream.write(event)
      expect(await reader.next()).toBe(event)
    }
    upstream.end()
    expect(await reader.next()).toBeUndefined()
  })

  it('is closed at the agent server when the client leaves', async () => {
    const left = Promise.withResolvers<void>()
    await world.serveAgent((_req, res) => {
      res.write('data: 1\n\n')
      res.once('close', () => left.resolve())
    })
    const abort = new AbortController()
    const signal = abort.signal
    const response = await fetch(`${world.url}/agents/agent/stream`, { ...withKey, signal })
    expect(response.status).toBe(200)
    abort.abort()
    await left.promise
  })

  it('is closed at the agent server when a client leaves that has sent a body', async () => {
    const left = Promise.withResolvers<void>()
    await world.serveAgent((req, res) => {
      req.resume()
      res.write('data: 1\n\n')
      res.once('close', () => left.resolve())
    })
    const abort = new AbortController()
    const { signal } = abort
    const url = `${world.url}/agents/agent/stream`
    const response = await fetch(url, { ...withKey, method: 'POST', body: '{"input":{}}', signal })
    expect(response.status).toBe(200)
    abort.abort()
    await left.promise
    expect(await fetch(`${world.url}/agents/none/ok`)).toMatchObject({ status: 404 })
  })

  it('is closed at the agent server when the client leaves before the first byte', async () => {
    const asked = Promise.withResolvers<void>()
    const left = Promise.withResolvers<void>()
    await world.serveAgent((_req, res) => {
      asked.resolve()
      res.once('close', () => left.resolve())
    })
    const abort = new AbortController()
    const init = { ...withKey, signal: abort.signal, method: 'POST', body: '{}' }
    const response = fetch(`${world.url}/agents/agent/runs/wait`, init)
    await asked.promise
    abort.abort()
    await expect(response).rejects.toThrow()
    await left.promise
  })

  it('ends in an error, not cleanly, when the agent server dies', async () => {
    const agent = await world.serveAgent((_req, res) => void res.write('data: 1\n\n'))
    const response = await fetch(`${world.url}/agents/agent/stream`, withKey)
    const reader = readerOf(response)
    expect(await reader.next()).toBe('data: 1\n\n')
    agent.kill()
    await expect(reader.next()).rejects.toThrow()
  })

  it('ends in a reset for an HTTP/1.0 client when the agent server dies', async () => {
    const agent = await world.serveAgent((_req, res) => void res.write('data: 1\n\n'))
    const socket = net.connect(world.port, '127.0.0.1')
    socket.write(`GET /agents/agent/stream HTTP/1.0\r\nX-Api-Key: ${KEY}\r\n\r\n`)
    await once(socket, 'data')
    socket.on('data', () => {})
    agent.kill()
    const [error] = await once(socket, 'error')
    expect(error).toMatchObject({ code: 'ECONNRESET' })
  })

  it('is one of a thousand without slowing the others', async () => {
    await world.serveAgent((req, res) => {
      if (req.url === '/ok') res.end('ok')
      else res.write('data: 1\n\n')
    })
    const agent = new http.Agent({ maxSockets: Number.POSITIVE_INFINITY })
    const open = Array.from({ length: 1000 }, async () => {
      const req = http.get(`${world.url}/agents/agent/stream`, { ...withKey, agent })
      req.on('error', () => {})
      const [res] = (await once(req, 'response')) as [IncomingMessage]
      res.on('error', () => {})
      const [chunk] = await once(res, 'data')
      return String(chunk)
    })
    expect(new Set(await Promise.all(open))).toEqual(new Set(['data: 1\n\n']))
    expect((await fetch(`${world.url}/agents/agent/ok`)).status).toBe(200)
    agent.destroy()
  }, 20_000)
})

describe('a body', () => {
  it('goes with its request, of several that come in one piece', async () => {
    await world.serveAgent(async (req, res) => {
      res.end(`${req.url} ${(await buffer(req)).toString()}.`)
    })
    const socket = net.connect(Number(new URL(world.url).port), '127.0.0.1')
    const key = withKey.headers['x-api-key']
    const request = (path: string, body: string, last = '') =>
      `POST /agents/agent/${path} HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${key}\r\n${last}Content-Length: ${body.length}\r\n\r\n${body}`
    socket.write(
      request('a', 'one') + request('b', 'four') + request('c', 'x', 'Connection: close\r\n'),
    )
    const answers = (await buffer(socket)).toString()
    expect(answers.match(/\/[abc] \w+\./g)).toEqual(['/a one.', '/b four.', '/c x.'])
  })

  it('arrives with every byte, in both directions, alone and beside others', async () => {
    await world.serveAgent(async (req, res) => {
      const sent = await buffer(req)
      if (req.url === '/with-length') res.setHeader('content-length', sent.length)
      res.write(sent.subarray(0, 100))
      res.end(sent.subarray(100))
    })
    const isEchoed = async (path: string, length: number) => {
      const body = Buffer.from(Array.from({ length }, (_, i) => (i * 7) % 256))
      const url = `${world.url}/agents/agent/${path}`
      const response = await fetch(url, { ...withKey, method: 'POST', body })
      return Buffer.from(await response.arrayBuffer()).equals(body)
    }
    for (const path of ['with-length', 'in-chunks']) {
      for (const length of [256, 8192, 8193, 70_000]) {
        expect(await isEchoed(path, length)).toBe(true)
        const many = Array.from({ length: 5 }, () => isEchoed(path, length))
        expect(await Promise.all(many)).toEqual(Array(5).fill(true))
      }
    }
  })
})

describe('back-pressure', () => {
  it.each([
    ['in chunks', {}],
    ['of a length', { 'content-length': TOTAL_BYTES }],
  ])(
    'holds an answer %s back while the client does not read',
    async (_, headers) => {
      let sent = 0
      await world.serveAgent((req, res) => {
        if (req.url === '/ok') return void res.end('ok')
        res.writeHead(200, headers)
        writeAll(res, (bytes) => (sent += bytes))
      })
      const req = http.get(`${world.url}/agents/agent/big`, withKey)
      const [res] = (await once(req, 'response')) as [IncomingMessage]
      await letOthersWork()
      expect(sent).toBeLessThan(IN_FLIGHT_BYTES)
      let received = 0
      for await (const chunk of res) received += (chunk as Buffer).length
      expect(received).toBe(TOTAL_BYTES)
    },
    20_000,
  )

  it('holds an upload back while the agent server does not read, and loses no byte of it', async () => {
    const arrived = Promise.withResolvers<IncomingMessage>()
    await world.serveAgent((req, res) => {
      if (req.url === '/ok') return void res.end('ok')
      arrived.resolve(req)
      const hash = createHash('sha256')
      req.on('data', (chunk) => hash.update(chunk))
      req.on('end', () => res.end(hash.digest('hex')))
      req.pause()
    })
    const req = http.request(`${world.url}/agents/agent/upload`, { method: 'PUT', ...withKey })
    const answered = once(req, 'response')
    let sent = 0
    writeAll(req, (bytes) => (sent += bytes))
    const upstream = await arrived.promise
    await letOthersWork()
    expect(sent).toBeLessThan(IN_FLIGHT_BYTES)
    upstream.resume()
    const [res] = (await answered) as [IncomingMessage]
    const expected = createHash('sha256')
    for (let bytes = 0; bytes < TOTAL_BYTES; bytes += CHUNK.length) expected.update(CHUNK)
    const [digest] = await once(res, 'data')
    expect(String(digest)).toBe(expected.digest('hex'))
  }, 20_000)

  it('passes an early answer on, takes the rest of the body, and keeps the connection', async () => {
    await world.serveAgent((req, res) => {
      if (req.url === '/early') res.writeHead(422).end('too early')
      else res.end('still here')
    })
    const socket = net.connect(world.port, '127.0.0.1')
    const answers = textOf(socket)
    const head = `HTTP/1.1\r\nHost: a\r\nX-Api-Key: ${KEY}\r\n`
    socket.write(`POST /agents/agent/early ${head}Content-Length: ${TOTAL_BYTES}\r\n\r\n`)
    await writeAll(socket, () => {})
    socket.write(`GET /agents/agent/ok ${head}Connection: close\r\n\r\n`)
    expect(await answers).toMatch(/^HTTP\/1.1 422 .*too early.*HTTP\/1.1 200 .*still here/s)
  }, 20_000)

  it('refuses an upload without a key in a way that the client can read', async () => {
    await world.serveAgent((_req, res) => res.end())
    const socket = net.connect(world.port, '127.0.0.1')
    const answers = textOf(socket)
    const head = 'HTTP/1.1\r\nHost: a\r\nConnection: close\r\n'
    socket.write(`PUT /agents/agent/x ${head}Content-Length: ${TOTAL_BYTES}\r\n\r\n`)
    await writeAll(socket, () => {})
    expect(await answers).toMatch(/^HTTP\/1.1 401 .*"detail"/s)
  }, 20_000)
})

/** Measures time by work: enough of it for an unbounded buffer to have taken everything. */
async function letOthersWork(): Promise<void> {
  for (let i = 0; i < 300; i += 1) {
    const response = await fetch(`${world.url}/agents/agent/ok`)
    expect(await response.text()).toBe('ok')
  }
}

/** Writes everything, and waits whenever it is told to. */
async function writeAll(to: Writable, count: (bytes: number) => void): Promise<void> {
  for (let bytes = 0; bytes < TOTAL_BYTES; bytes += CHUNK.length) {
    if (to.destroyed) return
    count(CHUNK.length)
    if (!to.write(CHUNK)) await once(to, 'drain').catch(() => undefined)
  }
  if (!(to instanceof net.Socket)) to.end()
}

async function textOf(socket: net.Socket): Promise<string> {
  let text = ''
  for await (const chunk of socket) text += chunk
  return text
}

function readerOf(response: Response) {
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  const decoder = new TextDecoder()
  return {
    async next(): Promise<string | undefined> {
      const { value } = await reader.read()
      return value && decoder.decode(value)
    },
  }
}
