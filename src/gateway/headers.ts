/** The header rules of both ways. Headers are flat lists, name and value in turn, as received. */
import type { IncomingMessage } from 'node:http'
import type { TLSSocket } from 'node:tls'
import { GATEWAY_TOKEN_HEADER } from '../core/runtime-protocol.ts'

/** Those that speak about one connection only (RFC 9110, section 7.6.1), and `expect`. */
const HOP_BY_HOP = new Set([
  'connection',
  'expect',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

const SET_BY_GATEWAY = new Set([
  'host',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-prefix',
  'x-forwarded-proto',
])

/**
 * What the agent server gets: the client's headers, less the hop-by-hop ones and anything that
 * begins with `x-runyard-`, plus the agent server's token and where the request came from. The client's
 * address is added to an `x-forwarded-for` that is there; a `-proto` and `-host` of a proxy in front
 * stay.
 */
export function requestHeaders(req: IncomingMessage, prefix: string, token: string): string[] {
  const sent = endToEnd(
    req.rawHeaders,
    (header) => SET_BY_GATEWAY.has(header) || header.startsWith('x-runyard-'),
  )
  const { host } = req.headers
  if (host !== undefined) sent.push('host', host)
  sent.push('x-forwarded-for', joined(req.headers['x-forwarded-for'], req.socket.remoteAddress))
  const forwardedHost = joined(req.headers['x-forwarded-host']) || host
  if (forwardedHost) sent.push('x-forwarded-host', forwardedHost)
  sent.push('x-forwarded-proto', joined(req.headers['x-forwarded-proto']) || protocolOf(req))
  if (prefix) sent.push('x-forwarded-prefix', prefix)
  sent.push(GATEWAY_TOKEN_HEADER, token)
  return sent
}

/** What the client gets: the answer's headers, less the hop-by-hop ones, plus the revision's id. */
export function answerHeaders(raw: string[], revision_id: string): string[] {
  const headers = endToEnd(raw, (header) => header === 'x-runyard-revision')
  headers.push('x-runyard-revision', revision_id)
  return headers
}

function endToEnd(raw: string[], isDropped: (lowerCaseName: string) => boolean): string[] {
  const named = connectionTokens(raw)
  const kept: string[] = []
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const header = (raw[i] ?? '').toLowerCase()
    if (HOP_BY_HOP.has(header) || named.has(header) || isDropped(header)) continue
    kept.push(raw[i] ?? '', raw[i + 1] ?? '')
  }
  return kept
}

/** The headers that a `connection` header declares to be hop-by-hop too. */
function connectionTokens(raw: string[]): Set<string> {
  const tokens = new Set<string>()
  for (let i = 0; i + 1 < raw.length; i += 2) {
    if (raw[i]?.toLowerCase() !== 'connection') continue
    for (const token of (raw[i + 1] ?? '').split(',')) tokens.add(token.trim().toLowerCase())
  }
  return tokens
}

function joined(...values: (string | string[] | undefined)[]): string {
  return values.flat().filter(Boolean).join(', ')
}

function protocolOf(req: IncomingMessage): string {
  return (req.socket as TLSSocket).encrypted ? 'https' : 'http'
}
