import { maxHeaderSize } from 'node:http'
import { Socket } from 'node:net'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readByNode } from '../../../test/support/node-reads.ts'
import { PlainRequest, readPlainRequest } from './plain-request.ts'

const socket = new Socket()
const read = (bytes: string) => readPlainRequest(Buffer.from(bytes, 'latin1'), socket)

const request = (line: string, ...headers: string[]) =>
  [line, 'Host: a', ...headers, '', ''].join('\r\n')
const GET = 'GET /x HTTP/1.1'
const POST = 'POST /x HTTP/1.1'

describe('a plain request', () => {
  it('is read with its headers as they were sent, and without the blanks around values', () => {
    const patched = read(request('PATCH /a%20b?q=[1]&r HTTP/1.1', 'X-A:\t b \xe4 \t', 'x-b:'))
    expect(patched).toMatchObject({
      method: 'PATCH',
      url: '/a%20b?q=[1]&r',
      rawHeaders: ['Host', 'a', 'X-A', 'b \xe4', 'x-b', ''],
      headers: { host: 'a', 'x-a': 'b \xe4', 'x-b': '' },
      body: undefined,
    })
  })

  it('has its whole body, a short one as a text', () => {
    expect(read(`${request(POST, 'Content-Length: 5')}a\r\n\r\xff`)).toMatchObject({
      body: 'a\r\n\r\xff',
    })
    const long = 'x'.repeat(64 * 1024)
    expect(read(`${request(POST, `Content-Length: ${long.length}`)}${long}`)).toMatchObject({
      body: Buffer.from(long),
    })
  })

  it('is short while its body has not come', () => {
    expect(read(request(POST, 'Content-Length: 1'))).toBe('short')
    expect(read(`${request(POST, 'Content-Length: 20000')}${'x'.repeat(19_999)}`)).toBe('short')
  })
})

const OTHERS: [what: string, bytes: string][] = [
  ['nothing', ''],
  ['a part of a head', GET],
  ['a head without its last line', 'GET /x HTTP/1.1\r\nHost: a\r\n'],
  ['an empty line first', `\r\n${request(GET)}`],
  ['two requests', request(GET) + request(GET)],
  ['a byte after the request', `${request(GET)}x`],
  ['a byte after the body', `${request(POST, 'Content-Length: 1')}xy`],
  [
    'a byte too much after a long body',
    `${request(POST, 'Content-Length: 9000')}${'x'.repeat(9001)}`,
  ],
  ['another method', request('HEAD /x HTTP/1.1')],
  ['OPTIONS', request('OPTIONS /x HTTP/1.1')],
  ['a method in lower case', request('get /x HTTP/1.1')],
  ['HTTP/1.0', request('GET /x HTTP/1.0')],
  ['HTTP in lower case', request('GET /x http/1.1')],
  ['no version', request('GET /x')],
  ['two blanks', request('GET  /x HTTP/1.1')],
  ['a blank in the target', request('GET /x y HTTP/1.1')],
  ['a tab', request('GET\t/x HTTP/1.1')],
  ['absolute form', request('GET http://a/x HTTP/1.1')],
  ['a target without a slash', request('GET x HTTP/1.1')],
  ['a target of a star', request('GET * HTTP/1.1')],
  ['a fragment', request('GET /x#y HTTP/1.1')],
  ['a backslash', request('GET /x\\y HTTP/1.1')],
  ['a byte above ASCII in the target', request('GET /\xe4 HTTP/1.1')],
  ['a NUL in the target', request('GET /\0 HTTP/1.1')],
  ['no host', 'GET /x HTTP/1.1\r\nA: b\r\n\r\n'],
  ['no header', 'GET /x HTTP/1.1\r\n\r\n'],
  ['two hosts', request(GET, 'Host: b')],
  ['two hosts of different case', request(GET, 'hOST: a')],
  ['a repeated header', request(GET, 'X: 1', 'x: 2')],
  ['a blank before the colon', request(GET, 'X : 1')],
  ['a name of nothing', request(GET, ': 1')],
  ['a line without a colon', request(GET, 'X')],
  ['a folded line', request(GET, 'X: 1', ' 2')],
  ['a folded line of a tab', request(GET, 'X: 1', '\t2')],
  ['a bare LF after a line', `${GET}\nHost: a\r\n\r\n`],
  ['a bare LF in a value', request(GET, 'X: 1\nY: 2')],
  ['a bare CR in a value', request(GET, 'X: 1\rY: 2')],
  ['bare LFs at the end', `${GET}\r\nHost: a\n\n`],
  ['a NUL in a value', request(GET, 'X: \0')],
  ['a DEL in a value', request(GET, 'X: \x7f')],
  ['a byte above ASCII in a name', request(GET, 'X\xe4: 1')],
  ['a name that all objects have', request(GET, '__proto__: 1')],
  ['another name that all objects have', request(GET, 'constructor: 1')],
  ['two lengths', `${request(POST, 'Content-Length: 1', 'Content-Length: 1')}x`],
  ['lengths in one value', `${request(POST, 'Content-Length: 1, 1')}x`],
  ['a length with a sign', `${request(POST, 'Content-Length: +1')}x`],
  ['a length with a zero before it', `${request(POST, 'Content-Length: 01')}x`],
  ['a length in hex', `${request(POST, 'Content-Length: 0x1')}x`],
  ['a length of nothing', request(POST, 'Content-Length:')],
  ['a length beyond numbers', request(POST, `Content-Length: ${'9'.repeat(30)}`)],
  ['a long body', request(POST, 'Content-Length: 65537')],
  ['chunks', `${request(POST, 'Transfer-Encoding: chunked')}0\r\n\r\n`],
  [
    'chunks and a length',
    `${request(POST, 'Content-Length: 5', 'Transfer-Encoding: chunked')}0\r\n\r\n`,
  ],
  ['an unknown coding', request(POST, 'Transfer-Encoding: x')],
  ['a connection that ends', request(GET, 'Connection: close')],
  ['a connection with another header', request(GET, 'Connection: keep-alive, X')],
  ['a proxy connection', request(GET, 'Proxy-Connection: keep-alive')],
  ['an upgrade', request(GET, 'Upgrade: websocket')],
  ['an upgrade that is named', request(GET, 'Connection: Upgrade', 'Upgrade: websocket')],
  ['a client that waits', request(POST, 'Expect: 100-continue', 'Content-Length: 1')],
  ['a head that is too long', request(GET, `X: ${'x'.repeat(maxHeaderSize)}`)],
  ['too many headers', request(GET, ...Array.from({ length: 100 }, (_, i) => `X${i}: 1`))],
]

describe('what is not plain', () => {
  it.each(OTHERS)('%s', (_, bytes) => {
    expect(read(bytes)).toBeUndefined()
  })
})

/** Mostly what is plain, and some of everything else. */
const mostly = <T>(usual: fc.Arbitrary<T>, ...others: fc.Arbitrary<T>[]) =>
  fc.oneof({ weight: 12, arbitrary: usual }, ...others)
const BYTE = fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code))
const METHOD = mostly(
  fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE'),
  fc.constantFrom('HEAD', 'get', 'QUERY'),
)
const TARGET = mostly(
  fc.tuple(fc.webPath(), fc.webQueryParameters()).map(([path, query]) => `/${path}?${query}`),
  fc.string({ unit: BYTE }).map((text) => `/${text}`),
  fc.webUrl(),
)
const VERSION = mostly(fc.constant('HTTP/1.1'), fc.constantFrom('HTTP/1.0', 'http/1.1', 'HTTP/2'))
const NAME = mostly(
  fc.stringMatching(/^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,12}$/),
  fc.constantFrom('Content-Length', 'Connection', 'Transfer-Encoding', 'Host', 'Expect'),
  fc.string({ unit: BYTE, maxLength: 4 }),
)
const COLON = mostly(fc.constantFrom(':', ': ', ':\t'), fc.constant(' : '))
const VALUE = mostly(
  fc.stringMatching(/^[\t -~\x80-\xff]{0,20}$/),
  fc.constantFrom('keep-alive', 'close', 'chunked', '0', '3', '03', '3, 3', 'a\r\n b', 'a\nb: c'),
  fc.string({ unit: BYTE, maxLength: 8 }),
)
const HEADERS = fc.array(fc.tuple(NAME, COLON, VALUE), { maxLength: 6 })
const BODY = fc.string({ unit: BYTE, maxLength: 30 })
/** One byte that is added, or takes the place of another. */
const CHANGE = fc.tuple(fc.nat(200), BYTE, fc.boolean())
const BYTES = fc
  .tuple(METHOD, TARGET, VERSION, HEADERS, fc.boolean(), BODY, fc.option(CHANGE, { freq: 2 }))
  .map(([method, target, version, headers, hasLength, body, change]) => {
    const lines = headers.map((parts) => `${parts.join('')}\r\n`).join('')
    const end = hasLength ? `Content-Length: ${body.length}\r\n\r\n${body}` : '\r\n'
    const text = `${method} ${target} ${version}\r\nHost: a\r\n${lines}${end}`
    if (!change) return text
    const [at, byte, isAdded] = change
    return text.slice(0, at) + byte + text.slice(isAdded ? at : at + 1)
  })

it('understands nothing otherwise than Node does', async () => {
  let plain = 0
  await fc.assert(
    fc.asyncProperty(BYTES, async (text) => {
      const bytes = Buffer.from(text, 'latin1')
      const ours = readPlainRequest(bytes, socket)
      if (!(ours instanceof PlainRequest)) return
      plain += 1
      const { method, url, rawHeaders, headers, body = '' } = ours
      expect(await readByNode(bytes)).toEqual([
        { method, url, rawHeaders, headers, body: body.toString('latin1') },
      ])
    }),
    { numRuns: 3000 },
  )
  expect(plain).toBeGreaterThan(400)
})
