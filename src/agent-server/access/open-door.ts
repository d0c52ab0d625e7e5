/**
 * Guards a server that requires no key, where every request may do everything. Without this guard, any web
 * page opened on the machine could: browsers send a page's requests to the loopback, and a page whose host
 * name resolves to 127.0.0.1 (DNS rebinding) can read the answers.
 */
import type { MiddlewareHandler } from 'hono'
import { AppError } from '../../core/errors.ts'
import type { Log } from '../../core/log.ts'
import { type CorsConfig, originRule } from '../../core/network/cors.ts'
import { isThisMachine } from '../../core/network/ip-range.ts'
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
  /** The last allowed host: the next request usually names it too. */
  let known: string | undefined
  return async (c, next) => {
    const host = c.req.header('host')
    const origin = c.req.header('origin')
    if (isInProcess(c) || c.req.path === '/ok') return next()
    if (host !== undefined && host !== known) {
      if (!isHostAllowed(host, to)) throw refusedHost(host)
      known = host
    }
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
