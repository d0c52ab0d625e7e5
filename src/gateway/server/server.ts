/** The settings of the HTTP server, and its responses to malformed HTTP. */
import http from 'node:http'
import type { Duplex } from 'node:stream'
import type { Certificate } from '../../core/network/tls.ts'
import { keepAddress, noteAddress } from './addresses.ts'
import { type Certificates, createTlsServer } from './http2.ts'

const SETTINGS: http.ServerOptions = {
  /** The limit for a whole request: an upload of 200 MiB on a slow line takes its time. */
  requestTimeout: 60 * 60 * 1000,
  headersTimeout: 60 * 1000,
  /** Longer than the 60 s for which proxies in front keep idle connections. */
  keepAliveTimeout: 75 * 1000,
  noDelay: true,
  /** Every other request for an upgrade (`h2c`) is handled as a plain request. */
  shouldUpgradeCallback: (req) => req.headers.upgrade?.toLowerCase() === 'websocket',
}

/** The handlers of requests. */
interface Answering {
  handleRequest(req: http.IncomingMessage, res: http.ServerResponse): void
  handleUpgrade(req: http.IncomingMessage, socket: Duplex, head: Buffer): void
}

/**
 * Makes a server that passes all requests to the gateway, with TLS if there is a certificate. It does not listen yet,
 * and responses never time out.
 */
export function createGatewayServer(
  gateway: Answering,
  certificate?: Certificate,
  certificates?: Certificates,
): http.Server {
  /** The last response of each connection. */
  const answers = new WeakMap<Duplex, http.ServerResponse>()
  const server = certificate
    ? createTlsServer(certificate, SETTINGS, certificates)
    : http.createServer(SETTINGS)
  const onRequest = (req: http.IncomingMessage, res: http.ServerResponse) => {
    answers.set(req.socket, res)
    if (noteAddress(req)) gateway.handleRequest(req, res)
    else res.destroy()
  }
  server.on('connection', keepAddress)
  server.on('secureConnection', keepAddress)
  server.on('request', onRequest)
  server.on('checkContinue', onRequest)
  server.on('upgrade', (req, socket, head) => {
    if (noteAddress(req)) gateway.handleUpgrade(req, socket, head)
    else socket.destroy()
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // In the middle of a response, a second one would look like part of the first.
    if (!socket.writable || answers.get(socket)?.closed === false) socket.destroy()
    else socket.end(malformed(error))
  })
  return server
}

const STATUS_OF_ERROR: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Payload Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
}

function malformed(error: NodeJS.ErrnoException): string {
  const status = STATUS_OF_ERROR[error.code ?? ''] ?? '400 Bad Request'
  const body = JSON.stringify({ detail: `${status.slice(4)}: the request cannot be read as HTTP.` })
  return [
    `HTTP/1.1 ${status}`,
    'Connection: close',
    'Access-Control-Allow-Origin: *',
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    '',
    body,
  ].join('\r\n')
}
