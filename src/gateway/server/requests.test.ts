/** Requests that a client writes byte by byte: none reaches an agent that could be read in two ways. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  echo,
  exchangeBytes,
  KEY,
  openWorld,
  type World,
} from '../../../test/support/gateway/gateway-world.ts'

let world: World
let passed = 0

beforeEach(async () => {
  passed = 0
  world = await openWorld({ maxBodyBytes: 1000, restartWaitMs: 0 })
  await world.serveAgent((req, res) => {
    passed += 1
    echo(req, res)
  })
})
afterEach(() => world.close())

const asked = (line: string, ...headers: string[]) =>
  [line, 'Host: a', `X-Api-Key: ${KEY}`, 'Connection: close', ...headers, '', ''].join('\r\n')
const GET = 'GET /agents/agent/x HTTP/1.1'
const POST = 'POST /agents/agent/x HTTP/1.1'
const chunked = (body: string) => `${asked(POST, 'Transfer-Encoding: chunked')}${body}`

describe('a request', () => {
  it.each([
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
    ['a blank before the colon', asked(GET, 'Content-Length : 0')],
    ['a bare LF', asked(GET, 'X: a\nY: b')],
    ['bare LFs', `${GET}\nHost: a\n\n`],
    ['a bare CR', asked(GET, 'X: a\rY: b')],
    ['a NUL in a value', asked(GET, 'X: a\0b')],
    ['a NUL in a name', asked(GET, 'X\0: a')],
    ['a NUL in the target', asked('GET /agents/agent/\0 HTTP/1.1')],
    ['a header without a name', asked(GET, ': a')],
    ['a line without a colon', asked(GET, 'X')],
    ['a fragment', asked('GET /agents/agent/x#y HTTP/1.1')],
    ['no host', `${GET}\r\nX-Api-Key: ${KEY}\r\n\r\n`],
    ['HTTP in lower case', asked('GET /agents/agent/x http/1.1')],
    ['an unknown method', asked('MAKE /agents/agent/x HTTP/1.1')],
    ['no number as a length', asked(POST, 'Content-Length: x')],
    ['a length beyond numbers', asked(POST, `Content-Length: ${'9'.repeat(30)}`)],
  ])('with %s is refused', async (_, bytes) => {
    expect(await exchangeBytes(world.port, Buffer.from(bytes, 'latin1'))).toMatch(/^HTTP\/1.1 400 /)
    expect(passed).toBe(0)
  })

  it.each([
    ['a chunk longer than its size', chunked('1\r\nxy\r\n0\r\n\r\n')],
    ['a chunk with a bare LF', chunked('1\nx\r\n0\r\n\r\n')],
    ['a chunk of unreadable size', chunked('x\r\n')],
    ['a chunk extension that is too long', chunked(`1;${'a'.repeat(20_000)}\r\nx\r\n0\r\n\r\n`)],
  ])('with %s gets no answer of the agent', async (_, bytes) => {
    expect(await exchangeBytes(world.port, bytes).catch(() => '')).not.toMatch(/^HTTP\/1.1 2/)
  })

  it('with another coding than chunked arrives as one message', async () => {
    const bytes = `${asked(POST, 'Transfer-Encoding: gzip, chunked')}1\r\nx\r\n0\r\n\r\n`
    const answer = await exchangeBytes(world.port, bytes)
    expect(answer.match(/HTTP\/1.1 /g)).toHaveLength(1)
    expect(passed).toBeLessThanOrEqual(1)
  })

  it('is one request only, whatever its body looks like', async () => {
    const inner = asked('GET /agents/agent/inner HTTP/1.1')
    const answer = await exchangeBytes(
      world.port,
      asked(POST, `Content-Length: ${inner.length}`) + inner,
    )
    expect(passed).toBe(1)
    expect(answer).toContain('"url":"/x"')
  })
})
