/**
 * Guards against web pages that a browser lets call the server: at a server without keys, and at WebSocket handshakes.
 *
 * At a server that requires no key, every request may do everything. Without this guard, any web page opened on the
 * machine could: browsers send a page's requests to the loopback, and a page whose host name resolves to 127.0.0.1 (DNS
 * rebinding) can read the answers.
 */
import type { Context, MiddlewareHandler } from 'hono'
import { AppError } from '../../core/errors.ts'
import type { Log } from '../../core/log.ts'
import {
  areCookiesAllowed,
  type CorsConfig,
  isOwnOrigin,
  originRule,
} from '../../core/network/cors.ts'
import { isThisMachine } from '../../core/network/ip-range.ts'
import type { AgentServerEnv } from './caller.ts'
import { isInProcess } from './door.ts'

export interface OpenTo {
  /** The address it listens on. If that is not the loopback, the server accepts any host name. */
  host: string
  /** Host names besides those of the loopback. `.example.com`: every name below it; `*`: any name. */
  hosts: readonly string[]
  /** Origins besides those of this machine and of the server's own pages; `*`: any. */
  origins: readonly string[]
}

/** The hosted Studio, which talks to a server on its user's own machine. */
export const STUDIO_ORIGINS = ['https://smith.langchain.com', 'https://eu.smith.langchain.com']

/**
 * Throws `forbidden` for requests to a host name, or from an origin, that is not allowed. Origins that
 * `cors` names are allowed. `/ok` is open: it reveals nothing of value.
 */
export function guardOpenServer(
  to: OpenTo,
  cors: CorsConfig | undefined,
  log: Log,
): MiddlewareHandler {
  const isNamed = namedBy(cors)
  return async (c, next) => {
    const host = c.req.header('host')
    const origin = c.req.header('origin')
    if (isInProcess(c) || c.req.path === '/ok') return next()
    if (host !== undefined && !isHostAllowed(host, to)) throw refusedHost(host)
    if (origin === undefined || isOriginAllowed(origin, host, to) || isNamed(origin)) return next()
    log.warn({ origin }, 'refused a page of another origin; RUNYARD_ALLOWED_ORIGINS lets it in')
    throw refusedOrigin(origin)
  }
}

function namedBy(cors: CorsConfig | undefined): (origin: string) => boolean {
  return cors?.allow_origins || cors?.allow_origin_regex ? originRule(cors) : () => false
}

/** `host` with or without a port. */
export function isHostAllowed(host: string, to: OpenTo): boolean {
  const name = nameIn(host)
  if (name === undefined) return false
  return isLocalName(name) || !isLocalName(nameOf(to.host)) || to.hosts.some(covers(name))
}

/** `host`: the host the request was sent to. Pages on its other ports belong to the same operator. */
export function isOriginAllowed(origin: string, host: string | undefined, to: OpenTo): boolean {
  const name = URL.parse(origin)?.hostname
  if (to.origins.includes('*') || to.origins.includes(origin)) return true
  return name !== undefined && (isLocalName(name) || (host !== undefined && name === nameIn(host)))
}

function nameIn(host: string): string | undefined {
  return URL.parse(`http://${host}`)?.hostname
}

function covers(name: string): (allowed: string) => boolean {
  return (allowed) =>
    allowed === '*' || (allowed.startsWith('.') ? name.endsWith(allowed) : name === allowed)
}

/** Names that browsers resolve to the loopback by themselves. */
function isLocalName(name: string): boolean {
  return isThisMachine(name) || name.endsWith('.localhost')
}

function nameOf(address: string): string {
  return address.includes(':') ? `[${address}]` : address
}

function refusedHost(host: string): AppError {
  const how = 'Ask for localhost, set RUNYARD_API_KEYS, or name the host in RUNYARD_ALLOWED_HOSTS.'
  return new AppError('forbidden', `Without keys this server answers to no "${host}". ${how}`)
}

function refusedOrigin(origin: string): AppError {
  const how = 'Set RUNYARD_API_KEYS, or list the origin in RUNYARD_ALLOWED_ORIGINS.'
  return new AppError('forbidden', `Without keys this server answers no page of ${origin}. ${how}`)
}

/** The protocol's event stream, the only path that accepts WebSockets. */
const SOCKET_PATH = /^\/threads\/[^/]+\/stream\/events$/

/**
 * Throws `not_found` on paths without a WebSocket, before their handler runs, and `forbidden` for
 * origins that CORS does not allow: browsers let any page open a WebSocket, without a preflight,
 * and send cookies along. Removes the cookies if CORS does not allow them.
 */
export function guardSockets(cors: CorsConfig = {}): MiddlewareHandler<AgentServerEnv> {
  const isAllowed = originRule(cors)
  const areKept = areCookiesAllowed(cors)
  return async (c, next) => {
    if (c.env?.acceptSocket) {
      requireSocketPath(c)
      const origin = c.req.header('origin')
      if (origin !== undefined && !isOwnOrigin(origin, hostOf(c))) {
        if (!isAllowed(origin)) throw refusedSocket(origin)
        if (!areKept) forgetCookies(c.req.raw.headers)
      }
    }
    await next()
  }
}

function requireSocketPath({ req }: Context): void {
  if (SOCKET_PATH.test(req.path)) return
  const where = 'They are at /threads/<thread_id>/stream/events.'
  throw new AppError('not_found', `No WebSockets are served here. ${where}`)
}

/** The host name that the client used. */
function hostOf({ req }: Context): string | undefined {
  return req.header('x-forwarded-host')?.split(',')[0]?.trim() ?? req.header('host')
}

function refusedSocket(origin: string): AppError {
  const how = 'List it in "http.cors.allow_origins" of langgraph.json.'
  return new AppError('forbidden', `The origin ${origin} is not allowed. ${how}`)
}

/** Removes stored passwords too: a page cannot set `authorization` here, but browsers send them like cookies. */
function forgetCookies(headers: Headers): void {
  headers.delete('cookie')
  if (/^(basic|digest|negotiate) /i.test(headers.get('authorization') ?? '')) {
    headers.delete('authorization')
  }
}
