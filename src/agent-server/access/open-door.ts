/**
 * The door of a server that asks for no key: whoever can send it a request may do everything. Without this
 * door, every web page that somebody opens on the machine could: browsers send requests to the loopback for
 * any page, and a page whose host name is made to mean 127.0.0.1 (DNS rebinding) can read the answers.
 */
import type { MiddlewareHandler } from 'hono'
import { type CorsConfig, originRule } from '../../core/cors.ts'
import { AppError } from '../../core/errors.ts'
import type { Log } from '../../core/log.ts'
import { isThisMachine } from '../../core/this-machine.ts'
import { isInProcess } from './door.ts'

export interface OpenTo {
  /** The address it listens on. If that is not the loopback, the operator has let others in, by any name. */
  host: string
  /** Names besides those of the loopback; `.example.com` is every name below, `*` any name. */
  hosts: readonly string[]
  /** Origins besides those of this machine and of the server's own pages; `*` is any. */
  origins: readonly string[]
}

/** The hosted Studio, which talks to a server on its user's own machine. */
export const STUDIO_ORIGINS = ['https://smith.langchain.com', 'https://eu.smith.langchain.com']

/**
 * Throws `forbidden` for a request to a host name, or of a page, that is not let in. Origins that
 * `cors` names are let in. `/ok` is open: it tells nothing of value.
 */
export function guardOpenServer(
  to: OpenTo,
  cors: CorsConfig | undefined,
  log: Log,
): MiddlewareHandler {
  const isNamed = namedBy(cors)
  /** The last host that was let in: the next request mostly names it too. */
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

/** `host`: where the request was sent to. Pages on other ports of that host are the operator's as well. */
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
