/**
 * Reads a plain request: one that is whole in the bytes at hand and has nothing unusual. What a plain request is, is
 * narrower than HTTP on purpose. All others are Node's to read or to refuse, so that nothing is understood here that
 * Node would understand otherwise.
 */
import { type IncomingHttpHeaders, maxHeaderSize } from 'node:http'
import type { Socket } from 'node:net'
import type { RequestHead } from '../client.ts'
import { readHeaderLines } from '../header-lines.ts'
import { MAX_TEXT_BYTES } from '../upstream/response-reader.ts'

/** A longer body is not plain: the gateway passes it on as it comes. */
const MAX_BODY_BYTES = 64 * 1024
/** Node leaves out what comes after its thousandth header. */
const MAX_HEADERS = 100

const END_OF_HEAD = '\r\n\r\n'
/** In origin form, of the characters of a URL alone (RFC 3986), and those that browsers leave as they are. */
const REQUEST_LINE =
  /^(GET|POST|PUT|PATCH|DELETE) (\/[A-Za-z0-9\-._~!$&'()*+,;=:@%/?[\]]*) HTTP\/1\.1\r\n/
const LENGTH = /^(?:0|[1-9]\d{0,5})$/

/** These change how long the request is or what its answer may be; Node makes a list of the last one. */
const NOT_PLAIN = new Set([
  'transfer-encoding',
  'upgrade',
  'http2-settings',
  'expect',
  'proxy-connection',
  'set-cookie',
])

export class PlainRequest implements RequestHead {
  readonly httpVersion = '1.1'
  readonly httpVersionMajor = 1
  readonly method: string
  readonly url: string
  readonly rawHeaders: string[]
  readonly headers: IncomingHttpHeaders
  /** All of it, a short one as a text in latin1; `undefined`: there is none. */
  readonly body: Buffer | string | undefined
  readonly socket: Socket

  constructor(
    { method, url, rawHeaders, headers }: Head,
    body: Buffer | string | undefined,
    socket: Socket,
  ) {
    this.method = method
    this.url = url
    this.rawHeaders = rawHeaders
    this.headers = headers
    this.body = body
    this.socket = socket
  }
}

/**
 * The one request that the bytes are, which it may keep. `short`: its head is plain, but not all of its body is there.
 * `undefined`: it is not plain, or nothing whole, or more than one.
 */
export function readPlainRequest(
  bytes: Buffer,
  socket: Socket,
): PlainRequest | 'short' | undefined {
  const isShort = bytes.length <= MAX_TEXT_BYTES
  const text = bytes.toString('latin1', 0, isShort ? bytes.length : maxHeaderSize)
  const end = text.indexOf(END_OF_HEAD)
  if (end === -1 || end + END_OF_HEAD.length >= maxHeaderSize) return undefined
  const head = readHead(text.slice(0, end + 2))
  if (!head) return undefined
  const from = end + END_OF_HEAD.length
  const missing = from + head.bodyBytes - bytes.length
  if (missing > 0) return 'short'
  if (missing < 0) return undefined
  const body = isShort ? text.slice(from) : bytes.subarray(from)
  return new PlainRequest(head, head.bodyBytes > 0 ? body : undefined, socket)
}

interface Head {
  method: string
  url: string
  rawHeaders: string[]
  headers: IncomingHttpHeaders
  bodyBytes: number
}

/** `text`: the head in latin1, with the end of its last line. */
function readHead(text: string): Head | undefined {
  const line = REQUEST_LINE.exec(text)
  if (!line) return undefined
  const rawHeaders = readHeaderLines(text, line[0].length)
  if (!rawHeaders || rawHeaders.length > 2 * MAX_HEADERS) return undefined
  const headers = byName(rawHeaders)
  if (!headers) return undefined
  const bodyBytes = plainLength(headers)
  if (bodyBytes === undefined) return undefined
  return { method: line[1] as string, url: line[2] as string, rawHeaders, headers, bodyBytes }
}

/** `undefined`: a header is repeated, which Node would join or drop, or is not plain. */
function byName(rawHeaders: string[]): IncomingHttpHeaders | undefined {
  const headers: IncomingHttpHeaders = {}
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = (rawHeaders[i] as string).toLowerCase()
    if (headers[name] !== undefined || NOT_PLAIN.has(name)) return undefined
    headers[name] = rawHeaders[i + 1]
  }
  return headers
}

/** How long the body is. `undefined`: too long to be plain, or another header is not. */
function plainLength(headers: IncomingHttpHeaders): number | undefined {
  const { host, connection, 'content-length': length = '0' } = headers
  if (host === undefined || !LENGTH.test(length) || Number(length) > MAX_BODY_BYTES)
    return undefined
  return connection === undefined || connection.toLowerCase() === 'keep-alive'
    ? Number(length)
    : undefined
}
