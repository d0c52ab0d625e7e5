/**
 * A TLS server. It uses HTTP/2 with clients that can, and HTTP/1.1 with all others and for WebSockets, for which
 * browsers open a separate connection. To listeners, requests over HTTP/2 look like those over HTTP/1.1. Single hosts may
 * have certificates of their own.
 */
import type {
  IncomingHttpHeaders,
  OutgoingHttpHeader,
  OutgoingHttpHeaders,
  Server,
  ServerOptions,
} from 'node:http'
import {
  constants,
  createSecureServer,
  Http2ServerRequest,
  Http2ServerResponse,
  type SecureServerOptions,
  type ServerHttp2Stream,
} from 'node:http2'
import type { Socket } from 'node:net'
import type { ReadableOptions } from 'node:stream'
import {
  createSecureContext,
  type SecureContext,
  type TlsOptions,
  type Server as TlsServer,
} from 'node:tls'
import type { Certificate, CertificateTable } from '../../core/network/tls.ts'

/** Streams stay open for hours, and one page may have many. */
const MAX_STREAMS = 1000
/** A connection takes no new request after this many ms without a frame. Streams send heartbeats. */
const IDLE_MS = 75_000

/**
 * Makes the server. It does not listen yet. `options` are for HTTP/1.1; hosts in `certificates` use their own
 * certificate.
 */
export function createTlsServer(
  certificate: Certificate,
  options: ServerOptions = {},
  certificates?: Certificates,
): Server & Pick<TlsServer, 'setSecureContext'> {
  const server = createSecureServer({
    ...(options as SecureServerOptions),
    ...certificate,
    ...(certificates && {
      SNICallback: ((servername, done) =>
        done(null, certificates.contextFor(servername))) satisfies TlsOptions['SNICallback'],
    }),
    allowHTTP1: true,
    settings: { maxConcurrentStreams: MAX_STREAMS },
    Http2ServerRequest: Request,
    Http2ServerResponse: Response as unknown as typeof Http2ServerResponse,
  })
  server.on('session', (session) => session.setTimeout(IDLE_MS, () => session.close()))
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  const closeAllConnections = () => {
    for (const socket of sockets) socket.destroy()
  }
  return Object.assign(server, { closeAllConnections }) as unknown as Server & TlsServer
}

/** A request with a `host` header and without pseudo headers. A body of unknown length is announced by a header. */
class Request extends Http2ServerRequest {
  constructor(
    stream: ServerHttp2Stream,
    headers: IncomingHttpHeaders,
    options: ReadableOptions,
    rawHeaders: readonly string[],
  ) {
    const more = missingHeaders(stream, headers)
    super(stream, Object.assign(headers, more), options, [
      ...withoutOwn(rawHeaders),
      ...Object.entries(more).flat(),
    ])
  }

  /** Stops reading what the client still sends. A response that has ended arrives whole. */
  override destroy(error?: Error): this {
    this.stream.close(constants.NGHTTP2_NO_ERROR)
    return super.destroy(error)
  }
}

/** Joins the cookies, which browsers send in separate headers, and adds headers for host and body. */
function missingHeaders(
  { endAfterHeaders }: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
): Record<string, string> {
  const host = headers[':authority'] ?? headers.host
  const { cookie } = headers
  return {
    ...(typeof host === 'string' && { host }),
    ...(cookie !== undefined && { cookie }),
    ...(!endAfterHeaders &&
      headers['content-length'] === undefined && { 'transfer-encoding': 'chunked' }),
  }
}

function withoutOwn(raw: readonly string[]): string[] {
  return raw.filter((_, i) => {
    const name = raw[i - (i % 2)] ?? ''
    return !name.startsWith(':') && name !== 'host' && name !== 'cookie'
  })
}

/** Headers about the connection. HTTP/2 refuses responses with one, also in trailers. */
const OF_CONNECTIONS = new Set([
  'connection',
  'http2-settings',
  'keep-alive',
  'proxy-connection',
  'te',
  'transfer-encoding',
  'upgrade',
])

type Headers = readonly string[] | Record<string, OutgoingHttpHeader | undefined>

class Response extends Http2ServerResponse {
  /** The connection continues, whatever happens to this response. */
  readonly shouldKeepAlive = true

  constructor(stream: ServerHttp2Stream, options: object) {
    // @ts-expect-error: the types leave out what every response is made with.
    super(stream, options)
    let isClosed = false
    this.once('close', () => {
      isClosed = true
    })
    Object.defineProperties(this, {
      closed: { get: () => isClosed },
      // A client that leaves also ends the writing, but then the response has not finished.
      writableFinished: {
        get: () => this.writableEnded && stream.rstCode === constants.NGHTTP2_NO_ERROR,
      },
    })
  }

  override setHeader(name: string, value: OutgoingHttpHeader): void {
    if (!OF_CONNECTIONS.has(name.toLowerCase())) super.setHeader(name, value as string)
  }

  /** Drops headers about the connection: Node would throw where nothing catches it, and end the process. */
  override addTrailers(trailers: OutgoingHttpHeaders): void {
    const all = Object.entries(trailers)
    super.addTrailers(
      Object.fromEntries(all.filter(([name]) => !OF_CONNECTIONS.has(name.toLowerCase()))),
    )
  }

  /** Accepts headers in every form that `ServerResponse` accepts. HTTP/2 has no status message. */
  override writeHead(status: number, ...rest: (string | Headers | undefined)[]): this {
    const headers = rest.find((one) => typeof one === 'object')
    if (Array.isArray(headers)) this.#appendAll(headers)
    else
      for (const [name, value] of Object.entries(headers ?? {})) this.setHeader(name, value ?? '')
    return super.writeHead(status)
  }

  /** Resets the stream: without an error code it would look like a clean end. */
  override destroy(): this {
    this.stream.close(constants.NGHTTP2_INTERNAL_ERROR)
    return this
  }

  #appendAll(headers: readonly string[]): void {
    for (let i = 0; i + 1 < headers.length; i += 2) {
      const [name = '', value = ''] = headers.slice(i, i + 2)
      if (!OF_CONNECTIONS.has(name.toLowerCase())) this.appendHeader(name, value)
    }
  }
}

/** The certificates of single hosts, which clients name when they connect (SNI). */
export class Certificates implements CertificateTable {
  readonly #contexts = new Map<string, SecureContext>()

  set(host: string, certificate: Certificate): void {
    this.#contexts.set(host, createSecureContext(certificate))
  }

  remove(host: string): void {
    this.#contexts.delete(host)
  }

  /** The certificate for this host; `undefined`: the server's own. */
  contextFor(servername: string): SecureContext | undefined {
    return this.#contexts.get(servername.toLowerCase())
  }
}
