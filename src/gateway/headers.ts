/** The header rules of both directions. Headers are flat lists of names and values in turn, as received. */
import type { IncomingMessage } from 'node:http'
import type { TLSSocket } from 'node:tls'
import {
  CALLER_HEADER,
  GATEWAY_TOKEN_HEADER,
  ON_LEAVE_HEADER,
  ROLE_HEADER,
} from '../core/deployment/internal-requests.ts'
import type { Role } from '../core/people/api-key.ts'
import { addressOf } from './server/addresses.ts'
import {
  cookiesAtRoot,
  cookiesBelowPrefix,
  isOfOrigin,
  sandboxed,
  withoutOwnCookies,
} from './shared-origin.ts'

/** The headers that concern one connection only (RFC 9110, section 7.6.1), and `expect`. */
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

const SET_BY_GATEWAY = [
  'host',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-prefix',
  'x-forwarded-proto',
]

/** Each header is looked up in one set, since each request has many. */
const DROPPED_OF_REQUESTS = new Set([...HOP_BY_HOP, ...SET_BY_GATEWAY, 'cookie'])
const DROPPED_OF_RELAYED = new Set([...HOP_BY_HOP, ...SET_BY_GATEWAY, 'x-runyard-relayed'])
const DROPPED_OF_ANSWERS = new Set([
  ...HOP_BY_HOP,
  'set-cookie',
  'x-runyard-revision',
  ON_LEAVE_HEADER,
])
/** Headers about a body, or about another request. */
const DROPPED_OF_NEXT = new Set([
  'content-encoding',
  'content-length',
  'content-type',
  'idempotency-key',
])

/**
 * The headers for the agent server: the client's, without the hop-by-hop ones, those that begin with `x-runyard-`,
 * Runyard's own cookies and the `spent` keys; plus the agent server's token, the checked `caller` with their `role`,
 * and the request's origin. The client's address is added to `x-forwarded-for`; the `-proto` and `-host` of a proxy in
 * front stay. `traceparent` replaces the client's own.
 */
export function requestHeaders(
  req: IncomingMessage,
  { prefix, token, caller, role, traceparent, spent }: OfGateway,
): string[] {
  const isSpan = traceparent !== undefined
  const sent = endToEnd(
    req.rawHeaders,
    DROPPED_OF_REQUESTS,
    (header) =>
      header.startsWith('x-runyard-') ||
      (isSpan && header === 'traceparent') ||
      spent?.has(header) === true,
  )
  const cookies = req.headers.cookie
  const cookie = cookies && withoutOwnCookies(cookies, { isShared: prefix !== '' })
  if (cookie) sent.push('cookie', cookie)
  addOrigin(sent, req)
  if (prefix) sent.push('x-forwarded-prefix', prefix)
  if (traceparent !== undefined) sent.push('traceparent', traceparent)
  sent.push(GATEWAY_TOKEN_HEADER, token)
  if (caller !== undefined) sent.push(CALLER_HEADER, encodeURIComponent(caller.toWellFormed()))
  if (role !== undefined) sent.push(ROLE_HEADER, role)
  return sent
}

/** The headers of the read that continues the response to a request with these. */
export function nextHeaders(headers: string[], lastEventId: string | undefined): string[] {
  if (lastEventId === undefined) return endToEnd(headers, DROPPED_OF_NEXT)
  const sent = endToEnd(headers, DROPPED_OF_NEXT, (header) => header === 'last-event-id')
  sent.push('last-event-id', lastEventId)
  return sent
}

/** What the gateway adds to a request. */
interface OfGateway {
  prefix: string
  token: string
  caller?: string | undefined
  role?: Role | undefined
  traceparent?: string | undefined
  /** Headers with the key that admitted the request; the project must not see them. */
  spent?: ReadonlySet<string> | undefined
}

/** Marks a request that another Runyard relayed. */
export const RELAYED_HEADER = 'x-runyard-relayed'

/** The headers of a request that is relayed to the leader. */
export function relayedHeaders(req: IncomingMessage): string[] {
  const sent = endToEnd(req.rawHeaders, DROPPED_OF_RELAYED)
  addOrigin(sent, req)
  sent.push(RELAYED_HEADER, '1')
  return sent
}

/** The headers of the leader's response for the client, without the hop-by-hop ones. */
export function relayedAnswerHeaders(raw: string[]): string[] {
  return endToEnd(raw, HOP_BY_HOP)
}

/** The context of a response. */
interface OfAnswer {
  revision_id: string
  prefix: string
  /** The `cookie` header of its request. */
  cookie: string | undefined
  /** Whether a cookie's domain contains other hosts of Runyard. */
  isSharedDomain: (domain: string) => boolean
}

/**
 * The headers for the client: the response's, without the hop-by-hop ones, plus the revision's id. Below a prefix the
 * response shares its origin with the dashboard: it is sandboxed there, sends no headers about the origin, and sets
 * cookies for its own path only.
 */
export function answerHeaders(raw: string[], about: OfAnswer): string[] {
  const { revision_id, prefix, cookie: sent, isSharedDomain } = about
  const isShared = prefix !== ''
  const headers = endToEnd(raw, DROPPED_OF_ANSWERS, isShared ? isOfOrigin : undefined)
  const set = valuesOf('set-cookie', raw)
  if (set.length > 0) {
    const cookies = isShared
      ? cookiesBelowPrefix(set, { prefix, sent })
      : cookiesAtRoot(set, isSharedDomain)
    for (const cookie of cookies) headers.push('set-cookie', cookie)
  }
  headers.push('x-runyard-revision', revision_id)
  return isShared ? sandboxed(headers) : headers
}

/** Adds the `host` header, and the headers with the request's origin. */
function addOrigin(sent: string[], req: IncomingMessage): void {
  const { headers } = req
  const { host } = headers
  if (host !== undefined) sent.push('host', host)
  sent.push('x-forwarded-for', joined(headers['x-forwarded-for'], addressOf(req)))
  const forwardedHost = joined(headers['x-forwarded-host']) || host
  if (forwardedHost) sent.push('x-forwarded-host', forwardedHost)
  sent.push('x-forwarded-proto', joined(headers['x-forwarded-proto']) || protocolOf(req))
}

/** All values of one header, in order. */
export function valuesOf(lowerCaseName: string, raw: string[]): string[] {
  return raw.filter((_, i) => {
    const name = i % 2 === 1 ? raw[i - 1] : undefined
    return name?.length === lowerCaseName.length && name.toLowerCase() === lowerCaseName
  })
}

function endToEnd(
  raw: string[],
  dropped: ReadonlySet<string>,
  isDropped?: (lowerCaseName: string) => boolean,
): string[] {
  const named = connectionTokens(raw)
  const kept: string[] = []
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = raw[i] ?? ''
    const value = raw[i + 1] ?? ''
    const header = name.toLowerCase()
    if (dropped.has(header) || named?.has(header) || isDropped?.(header)) continue
    kept.push(name, value)
  }
  return kept
}

/** The further headers that a `connection` header declares to be hop-by-hop. */
function connectionTokens(raw: string[]): Set<string> | undefined {
  let tokens: Set<string> | undefined
  for (let i = 0; i + 1 < raw.length; i += 2) {
    if (raw[i]?.length !== 10 || raw[i]?.toLowerCase() !== 'connection') continue
    // Almost every request has one of these, and neither names a header.
    if (raw[i + 1] === 'keep-alive' || raw[i + 1] === 'close') continue
    tokens ??= new Set<string>()
    for (const token of (raw[i + 1] ?? '').split(',')) tokens.add(token.trim().toLowerCase())
  }
  return tokens
}

function joined(first: string | string[] | undefined, second?: string): string {
  const one = Array.isArray(first) ? first.filter(Boolean).join(', ') : first
  return one && second ? `${one}, ${second}` : one || second || ''
}

function protocolOf(req: IncomingMessage): string {
  return (req.socket as TLSSocket).encrypted ? 'https' : 'http'
}
