import { once } from 'node:events'
import type { RequestListener, Server } from 'node:http'
import net, { type AddressInfo, type Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { echo, KEY, openWorld, type World } from '../../../test/support/gateway-world.ts'
import { Line, turnsOver } from '../../../test/support/node-reads.ts'
import { createGatewayServer } from './server.ts'

let world: World
/** The same gateway behind Node's HTTP server alone. */
let reference: Server

beforeEach(async () => {
  world = await openWorld({ maxBodyBytes: 1000, restartWaitMs: 100 })
  const { gateway } = world
  reference = createGatewayServer({
    handleRequest: (req, res) => gateway.handleRequest(req, res),
    handleUpgrade: (req, socket, head) => gateway.handleUpgrade(req, socket, head),
  })
  await new Promise<void>((resolve) => reference.listen(0, '127.0.0.1', resolve))
})
afterEach(async () => {
  reference.close()
  reference.closeAllConnections()
  await world.close()
})

const portOf = (server: Server) => (server.address() as AddressInfo).port

const asked = (line: string, ...headers: string[]) =>
  [line, 'Host: a', `X-Api-Key: ${KEY}`, ...headers, '', ''].join('\r\n')
const GET = 'GET /agents/agent/x HTTP/1.1'
const POST = 'POST /agents/agent/x HTTP/1.1'
const plainPost = `${asked(POST, 'Content-Length: 5')}h\xe4l\r\n`

/** How many whole answers the text has, interim ones left out. */
function countAnswers(text: string): number {
  let count = 0
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf('\r\n\r\n', at)
    if (end === -1) return count
    const head = text.slice(at, end).toLowerCase()
    const hasBody = !head.startsWith('http/1.1 304')
    const length = hasBody ? /content-length: (\d+)/.exec(head)?.[1] : 0
    const isChunked = head.includes('transfer-encoding: chunked')
    const last = isChunked ? text.indexOf('\r\n0\r\n', end) : end
    if (last === -1) return count
    at = isChunked ? text.indexOf('\r\n\r\n', last + 2) + 4 : end + 4 + Number(length ?? 0)
    if (at > text.length || at === 3) return count
    if (!head.startsWith('http/1.1 1')) count += 1
  }
  return count
}

const undated = (text: string) => text.replace(/^(date): .*$/gim, '$1: then')

/** What comes back over a network, until so many answers are there or the server closes. */
async function answersTo(port: number, bytes: string, count: number): Promise<string> {
  const socket = net.connect(port, '127.0.0.1')
  socket.write(bytes, 'latin1')
  let text = ''
  try {
    for await (const chunk of socket) {
      text += (chunk as Buffer).toString('latin1')
      if (countAnswers(text) >= count) break
    }
  } catch {
    text += '(reset)'
  }
  return undated(text)
}

async function expectSame(bytes: string, count = 1): Promise<string> {
  const expected = await answersTo(portOf(reference), bytes, count)
  expect(await answersTo(world.port, bytes, count)).toBe(expected)
  return expected
}

describe('requests that are hostile or odd', () => {
  const chunked = (body: string) => `${asked(POST, 'Transfer-Encoding: chunked')}${body}`

  it.each<[what: string, bytes: string, count?: number]>([
    ['two lengths', `${asked(POST, 'Content-Length: 1', 'Content-Length: 2')}xy`],
    ['one length twice', `${asked(POST, 'Content-Length: 1', 'Content-Length: 1')}x`],
    [
      'a length and chunks',
      `${asked(POST, 'Content-Length: 1', 'Transfer-Encoding: chunked')}0\r\n\r\n`,
    ],
    [
      'chunks and a length',
      `${asked(POST, 'Transfer-Encoding: chunked', 'Content-Length: 1')}0\r\n\r\n`,
    ],
    ['an unknown coding', `${asked(POST, 'Transfer-Encoding: gzip, chunked')}0\r\n\r\n`],
    ['a coding with a tab', `${asked(POST, 'Transfer-Encoding:\tchunked')}0\r\n\r\n`],
    ['a blank before the colon', asked(GET, 'Content-Length : 0')],
    ['a folded line', asked(GET, 'X: a', ' b')],
    ['a folded length', asked(POST, 'Content-Length:', ' 0')],
    ['a bare LF', asked(GET, 'X: a\nY: b')],
    ['bare LFs', `${GET}\nHost: a\n\n`],
    ['a bare CR', asked(GET, 'X: a\rY: b')],
    ['a NUL in a value', asked(GET, 'X: a\0b')],
    ['a NUL in a name', asked(GET, 'X\0: a')],
    ['a NUL in the target', asked('GET /agents/agent/\0 HTTP/1.1')],
    ['a name of nothing', asked(GET, ': a')],
    ['a line without a colon', asked(GET, 'X')],
    ['absolute form', asked('GET http://b/agents/agent/x HTTP/1.1')],
    ['a target of a star', asked('OPTIONS * HTTP/1.1')],
    ['a fragment', asked('GET /agents/agent/x#y HTTP/1.1')],
    ['dots', asked('GET /agents/agent/../x HTTP/1.1')],
    ['two hosts', asked(GET, 'Host: b')],
    ['no host', `${GET}\r\nX-Api-Key: ${KEY}\r\n\r\n`],
    ['HTTP/1.0', asked('GET /agents/agent/x HTTP/1.0')],
    ['HTTP/2', asked('GET /agents/agent/x HTTP/2.0')],
    ['HTTP in lower case', asked('GET /agents/agent/x http/1.1')],
    ['a method in lower case', asked('get /agents/agent/x HTTP/1.1')],
    ['an unknown method', asked('MAKE /agents/agent/x HTTP/1.1')],
    ['an empty line first', `\r\n${asked(GET)}`],
    ['LFs first', `\n\n${asked(GET)}`],
    ['a head that is too long', asked(GET, `X: ${'x'.repeat(20_000)}`)],
    ['many headers', asked(GET, ...Array.from({ length: 1500 }, (_, i) => `X${i}:`))],
    ['a body that is too long', `${asked(POST, 'Content-Length: 1001')}${'x'.repeat(1001)}`],
    ['no number as a length', asked(POST, 'Content-Length: x')],
    ['a length beyond numbers', asked(POST, `Content-Length: ${'9'.repeat(30)}`)],
    ['a chunk extension', chunked('1;a=b\r\nx\r\n0\r\n\r\n')],
    ['a chunk extension that is too long', chunked(`1;${'a'.repeat(20_000)}\r\nx\r\n0\r\n\r\n`)],
    ['a chunk longer than its size', chunked('1\r\nxy\r\n0\r\n\r\n')],
    ['a chunk with a bare LF', chunked('1\nx\r\n0\r\n\r\n')],
    ['a chunk of unreadable size', chunked('x\r\n')],
    ['trailers', chunked('1\r\nx\r\n0\r\nContent-Length: 3\r\n\r\n')],
    ['a request in the body', `${asked(POST, 'Content-Length: 4')}GET `],
    ['a client that waits', `${asked(POST, 'Expect: 100-continue', 'Content-Length: 1')}x`],
    ['a client that expects something else', asked(GET, 'Expect: more')],
    ['a connection that ends', asked(GET, 'Connection: close')],
    ['h2c', asked(GET, 'Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: x')],
    ['what begins HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['what begins TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
    ['HEAD', asked('HEAD /agents/agent/x HTTP/1.1', 'Connection: close')],
    [
      'a preflight',
      asked('OPTIONS /agents/agent/x HTTP/1.1', 'Access-Control-Request-Method: PUT'),
    ],
    ['two at once', asked(GET) + plainPost, 2],
    ['three at once, the last of them malformed', `${asked(GET) + plainPost}x\r\n\r\n`, 3],
    ['a plain one and the begin of another', `${plainPost}GET /agents`],
    ['what is for the control plane', asked('GET /v2/x HTTP/1.1')],
    ['what is for nobody', asked('GET /agents/nobody/x HTTP/1.1')],
    ['no key', `${GET}\r\nHost: a\r\n\r\n`],
    ['a wrong key', `${GET}\r\nHost: a\r\nX-Api-Key: x\r\nOrigin: http://b\r\n\r\n`],
  ])('get the same answer: %s', async (_, bytes, count) => {
    await world.serveAgent(echo)
    await expectSame(bytes, count)
  })

  it('get the same answer in whatever two pieces they come', async () => {
    await world.serveAgent(echo)
    const expected = undated(await overLine(reference, [plainPost]))
    expect(expected).toMatch(/^HTTP\/1.1 200 OK.*"content-length":"5"/s)
    const plain = world.server
    for (let at = 1; at < plainPost.length; at += 1) {
      const pieces = [plainPost.slice(0, at), plainPost.slice(at)]
      expect(undated(await overLine(plain, pieces)), `cut at ${at}`).toBe(expected)
    }
  })

  it.each([
    ['the head', '', plainPost],
    ['a short body', asked(POST, 'Content-Length: 20'), 'x'.repeat(20)],
    ['a longer body', asked(POST, 'Content-Length: 200'), 'x'.repeat(200)],
  ])('get the same answer when %s comes byte by byte', async (_, before, after) => {
    await world.serveAgent(echo)
    const expected = undated(await overLine(reference, [before + after]))
    expect(undated(await overLine(world.server, [before, ...after].filter(Boolean)))).toBe(expected)
  })
})

describe('answers', () => {
  const length = (body: string) => ({ 'content-length': body.length })

  it.each<[what: string, answer: RequestListener]>([
    ['with a length', (_, res) => res.writeHead(200, length('hello')).end('hello')],
    ['in chunks', (_, res) => void res.write('a', () => res.write('b', () => res.end('c')))],
    ['in chunks, empty', (_, res) => res.writeHead(200, { 'transfer-encoding': 'chunked' }).end()],
    [
      'with trailers',
      (_, res) => {
        res.writeHead(200, { trailer: 'digest' }).write('a')
        res.addTrailers({ digest: 'x' })
        res.end()
      },
    ],
    ['without a body', (_, res) => res.writeHead(200, length('')).end()],
    ['204', (_, res) => res.writeHead(204).end()],
    ['304 with a length', (_, res) => res.writeHead(304, { ...length('hello'), etag: 'x' }).end()],
    ['404 with words of its own', (_, res) => res.writeHead(404, 'Not here', length('x')).end('x')],
    ['without words', (_, res) => res.writeHead(299, '', length('x')).end('x')],
    [
      'with bytes above ASCII',
      (_, res) => res.writeHead(200, { x: 'h\xe4', ...length('xx') }).end('\xe4'),
    ],
    [
      'with a header twice',
      (_, res) => res.writeHead(200, ['a', '1', 'A', '2', 'content-length', '0']).end(),
    ],
    ['of a connection that ends', (_, res) => res.writeHead(200, { connection: 'close' }).end('x')],
    [
      'without a date',
      (_, res) => {
        res.sendDate = false
        res.writeHead(200, length('x')).end('x')
      },
    ],
    ['of many bytes', (_, res) => res.end('x'.repeat(300_000))],
    ['of nine thousand bytes', (_, res) => res.end('x'.repeat(9_000))],
    [
      'of an event stream',
      (_, res) => {
        res.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n')
        setImmediate(() => res.end('data: 2\n\n'))
      },
    ],
    ['that break off before they begin', (_, res) => res.destroy()],
    [
      'that break off',
      (_, res) => void res.writeHead(200, length('xx')).write('x', () => res.destroy()),
    ],
  ])('%s are the same', async (_, answer) => {
    await world.serveAgent((req, res) => {
      req.resume()
      answer(req, res)
    })
    // Chunks are as large as the pieces in which an answer comes, and which of them come together is chance.
    const told = async (port: number) => unchunked(await answersTo(port, asked(GET), 1))
    expect(await told(world.port)).toBe(await told(portOf(reference)))
  })
})

describe('a connection', () => {
  it('has its requests answered one after the other, also those that are sent ahead', async () => {
    const first = Promise.withResolvers<() => void>()
    await world.serveAgent((req, res) => {
      if (req.url === '/1') first.resolve(() => res.end('/1'))
      else res.end(req.url)
    })
    const [taken, socket] = await connect()
    socket.write(asked('GET /agents/agent/1 HTTP/1.1'))
    const answer = await first.promise
    const ahead = once(taken, 'data')
    socket.write(asked('GET /agents/agent/2 HTTP/1.1') + asked('GET /agents/agent/3 HTTP/1.1'))
    await ahead
    answer()
    let text = ''
    while (countAnswers(text) < 3) text += String(...(await once(socket, 'data')))
    expect(text.match(/\/\d$|\/\d(?=HTTP)/g)).toEqual(['/1', '/2', '/3'])
    socket.destroy()
  })

  it.each([1, 20, 60])(
    'loses nothing of what comes as an answer is sent (cut at %i)',
    async (at) => {
      await world.serveAgent(echo)
      const next = asked('GET /agents/agent/2 HTTP/1.1')
      const later = async (server: Server) => {
        const line = new Line()
        server.emit('connection', line)
        line.once('written', () => {
          line.push(next.slice(0, at))
          process.nextTick(() => line.push(next.slice(at) + plainPost))
        })
        line.push(asked(GET))
        while (countAnswers(line.written) < 3) await once(line, 'written')
        await turnsOver()
        line.push(asked(GET))
        while (countAnswers(line.written) < 4) await once(line, 'written')
        return undated(line.written)
      }
      const expected = await later(reference)
      expect(await later(world.server)).toBe(expected)
    },
  )

  it('stays open between two answers, by Node’s server too', async () => {
    await world.serveAgent(echo)
    const [taken, socket] = await connect()
    const targets = ['/agents/agent/1', '/agents/agent/2', '/v2/x', '/agents/agent/3']
    for (const target of targets) {
      socket.write(asked(`GET ${target} HTTP/1.1`))
      let text = ''
      while (countAnswers(text) < 1) text += String(...(await once(socket, 'data')))
      expect(text).toContain('HTTP/1.1 200')
      // Node's server listens for it, and has the connection from what is the control plane's on.
      expect(taken.listenerCount('timeout')).toBe(
        target.endsWith('1') || target.endsWith('2') ? 0 : 1,
      )
    }
    socket.destroy()
  })

  it('ends when its client sends no more, and so does its request', async () => {
    const left = Promise.withResolvers<void>()
    await world.serveAgent((_req, res) => void res.once('close', () => left.resolve()))
    const socket = net.connect(world.port, '127.0.0.1')
    socket.resume().end(asked(GET))
    await once(socket, 'close')
    await left.promise
  })

  it('is closed when nothing has been asked on it for long', async () => {
    await world.serveAgent(echo)
    world.server.keepAliveTimeout = 1
    const socket = net.connect(world.port, '127.0.0.1')
    socket.write(asked(GET))
    await once(socket, 'data')
    await once(socket, 'close')
  })

  it('is refused when nothing comes on it at all', async () => {
    world.server.headersTimeout = 1
    expect(await answersTo(world.port, '', 1)).toMatch(/^HTTP\/1.1 408 .*"detail"/s)
  })

  it('is Node’s when the body of its request stays away', async () => {
    await world.serveAgent(echo)
    const line = new Line()
    world.server.emit('connection', line)
    line.push(asked(POST, 'Content-Length: 2'))
    await expect.poll(() => line.listenerCount('timeout')).toBeGreaterThan(0)
    line.push('xx')
    while (countAnswers(line.written) < 1) await once(line, 'written')
    expect(line.written).toContain('"body":"xx"')
  })

  it('is closed with the server when it is idle, and after its answer otherwise', async () => {
    const asking = Promise.withResolvers<() => void>()
    await world.serveAgent((req, res) => {
      if (req.url === '/open') asking.resolve(() => res.end('done'))
      else res.end()
    })
    const idle = net.connect(world.port, '127.0.0.1')
    idle.write(asked(GET))
    await once(idle, 'data')
    const open = net.connect(world.port, '127.0.0.1')
    open.write(asked('GET /agents/agent/open HTTP/1.1'))
    const answer = await asking.promise
    const closed = once(world.server, 'close')
    world.server.close()
    await once(idle, 'close')
    answer()
    expect(String(...(await once(open, 'data')))).toContain('done')
    world.server.closeIdleConnections()
    await closed
  })

  it('is closed with all of them', async () => {
    await world.serveAgent(() => {})
    const [, silent] = await connect()
    const [taken, open] = await connect()
    const came = once(taken, 'data')
    open.write(asked(GET))
    await came
    const closed = [once(silent, 'close'), once(open, 'close')]
    world.server.closeAllConnections()
    await Promise.all(closed)
  })
})

/** Both ends of a new connection, the gateway's first. */
async function connect(): Promise<[Socket, Socket]> {
  const taken = once(world.server, 'connection')
  const socket = net.connect(world.port, '127.0.0.1')
  const [end] = await taken
  return [end, socket]
}

/** The same answer with its chunks joined. */
function unchunked(answer: string): string {
  const end = answer.indexOf('\r\n\r\n') + 4
  if (!answer.slice(0, end).toLowerCase().includes('transfer-encoding: chunked')) return answer
  let text = answer.slice(0, end)
  for (let at = end; ; ) {
    const from = answer.indexOf('\r\n', at) + 2
    const size = Number.parseInt(answer.slice(at, from), 16)
    if (from === 1 || !size) return text + answer.slice(at)
    text += answer.slice(from, from + size)
    at = from + size + 2
  }
}

/** What is written on a connection without a network on which these pieces come one after the other. */
async function overLine(server: Server, pieces: string[]): Promise<string> {
  const line = new Line()
  server.emit('connection', line)
  for (const piece of pieces) {
    line.push(Buffer.from(piece, 'latin1'))
    await turnsOver()
  }
  while (countAnswers(line.written) < 1) await once(line, 'written')
  line.destroy()
  return line.written
}
