import { describe, expect, it } from 'vitest'
import { ResponseReader } from './response-reader.ts'

interface Read {
  status: number
  message: string
  headers: string[]
  body: string
  trailers: Record<string, string>
}

/** What is read of these pieces, and whether the connection may be used again. */
function readAll(pieces: string[], { method = 'GET', isClosed = false } = {}) {
  const begun: Read[] = []
  const ended: Read[] = []
  const reader = new ResponseReader({
    onHead: (status, message, headers) =>
      begun.push({ status, message, headers, body: '', trailers: {} }),
    onData: (bytes) => {
      const last = begun.at(-1) as Read
      last.body += bytes.toString('latin1')
    },
    onEnd: (trailers) => ended.push({ ...(begun.at(-1) as Read), trailers }),
    onWhole: (status, message, headers, body) =>
      ended.push({ status, message, headers, body, trailers: {} }),
  })
  reader.begin(method)
  for (const piece of pieces) {
    const bytes = Buffer.from(piece, 'latin1')
    reader.read(bytes)
    // The connection reads what comes next into the same place.
    bytes.fill(0)
  }
  if (isClosed) reader.end()
  return { ended, reader }
}

const head = (...lines: string[]) =>
  `HTTP/1.1 200 OK\r\n${lines.map((one) => `${one}\r\n`).join('')}\r\n`

const WHOLE: [what: string, answer: string, body: string][] = [
  ['of a length', `${head('Content-Length: 5')}hello`, 'hello'],
  [
    'in chunks with trailers',
    `${head('Transfer-Encoding: chunked')}3;x=y\r\nhel\r\n2\r\nlo\r\n0\r\nDigest: 1\r\n\r\n`,
    'hello',
  ],
  ['without a body', head('Content-Length: 0'), ''],
  [
    'after interim ones',
    `HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n${head('content-length: 1')}x`,
    'x',
  ],
]

describe('an answer', () => {
  it.each(WHOLE)('%s is the same in whatever pieces it comes', (_, answer, body) => {
    for (let size = 1; size <= answer.length; size += 1) {
      const pieces = answer.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? []
      const { ended, reader } = readAll(pieces)
      expect(ended).toHaveLength(1)
      expect(ended[0]).toMatchObject({ status: 200, message: 'OK', body })
      expect(reader.isReusable).toBe(true)
    }
  })

  it('has its headers as they were sent, and its trailers', () => {
    const [, [, chunked] = ['', '']] = WHOLE
    const { ended } = readAll([chunked])
    expect(ended[0]?.headers).toEqual(['Transfer-Encoding', 'chunked'])
    expect(ended[0]?.trailers).toEqual({ Digest: '1' })
    expect(readAll([head('X: \t\xa0a b ', 'X:', 'Content-Length: 0')]).ended[0]?.headers).toEqual([
      ...['X', '\xa0a b'],
      ...['X', ''],
      ...['Content-Length', '0'],
    ])
  })

  it('ends with the connection when it tells no length', () => {
    const { ended, reader } = readAll([head('Content-Type: text/plain'), 'ab', 'c'], {
      isClosed: true,
    })
    expect(ended[0]?.body).toBe('abc')
    expect(reader.isReusable).toBe(false)
  })

  it.each([
    ['HEAD', head('Content-Length: 7')],
    ['GET', 'HTTP/1.1 204 No Content\r\n\r\n'],
    ['GET', 'HTTP/1.1 304 Not Modified\r\nContent-Length: 7\r\n\r\n'],
  ])('to %s may have no body at all', (method, answer) => {
    const { ended, reader } = readAll([answer], { method })
    expect(ended).toHaveLength(1)
    expect(reader.isReusable).toBe(true)
  })

  it.each([
    ['a length and chunks', head('Content-Length: 5', 'Transfer-Encoding: chunked')],
    ['two lengths', head('Content-Length: 5', 'Content-Length: 6')],
    ['an unreadable length', head('Content-Length: +5')],
    ['another coding', head('Transfer-Encoding: gzip, chunked')],
    ['no HTTP', 'SSH-2.0-OpenSSH\r\n\r\n'],
    ['a header without a name', head(': x')],
    ['a header without a colon', head('nothing')],
    ['a blank in the name of a header', head('Content-Length : 0')],
    ['a folded header', head('X: a', ' b: c')],
    ['a NUL in a header', head('X: a\0\0b\0c')],
    ['a lone CR in a header', head('X: a\rb')],
    ['a lone LF in a header', head('X: a\nY: b')],
    ['a NUL in its status message', 'HTTP/1.1 200 O\0K\r\n\r\n'],
    ['a NUL in a trailer', `${head('Transfer-Encoding: chunked')}0\r\nX: a\0b\r\n\r\n`],
    ['a trailer without a proper name', `${head('Transfer-Encoding: chunked')}0\r\na b: c\r\n\r\n`],
    ['an unasked switch', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n'],
    ['an unreadable chunk', `${head('Transfer-Encoding: chunked')}-1\r\n`],
    ['a chunk that is too long', `${head('Transfer-Encoding: chunked')}1\r\nab\r\n`],
    ['a line without CR', `${head('Transfer-Encoding: chunked')}1\nab\r\n`],
    ['more than the answer', `${head('Content-Length: 1')}ab`],
    ['a head without end', `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(70_000)}`],
  ])('with %s is refused', (_, answer) => {
    expect(() => readAll([answer])).toThrow()
  })

  it.each([
    ['in its head', 'HTTP/1.1 200'],
    ['in its body', `${head('Content-Length: 5')}hel`],
    ['between chunks', `${head('Transfer-Encoding: chunked')}1\r\na\r\n`],
  ])('that breaks off %s is refused', (_, answer) => {
    expect(() => readAll([answer], { isClosed: true })).toThrow('closed before')
  })

  it.each([
    ['HTTP/1.1', 'close', false],
    ['HTTP/1.1', 'keep-alive', true],
    ['HTTP/1.0', 'keep-alive', true],
    ['HTTP/1.0', 'x', false],
  ])('of %s with "connection: %s" lets others follow: %s', (version, connection, isReusable) => {
    const answer = `${version} 200 OK\r\nConnection: ${connection}\r\nContent-Length: 0\r\n\r\n`
    expect(readAll([answer]).reader.isReusable).toBe(isReusable)
  })

  it('tells for how long the server keeps the connection', () => {
    expect(
      readAll([head('Keep-Alive: timeout=72, max=3', 'Content-Length: 0')]).reader.keptSeconds,
    ).toBe(72)
    expect(readAll([head('Content-Length: 0')]).reader.keptSeconds).toBeUndefined()
  })
})
