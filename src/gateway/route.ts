/** Which requests are for an agent, and which of those need no key. */
import type { IncomingMessage } from 'node:http'
import { DEPLOYMENT_NAME } from '../core/deployment/deployment.ts'
import { AppError } from '../core/errors.ts'

export interface AgentRoute {
  /** The deployment's name. */
  name: string
  /** Path and query as the agent server gets them, byte for byte as the client sent them. */
  path: string
  /** What was in front of the path: `/agents/<name>`, or nothing for what answers at the root. */
  prefix: string
}

/**
 * Reads a request target, origin form or absolute form. `undefined`: not below `/agents/`, somebody
 * else's. Throws `not_found` for what can be no deployment's name and `bad_request` for a path that
 * a URL parser behind the gateway could read as another one (dot segments, `\`, `#`, in any
 * encoding): whether a key is needed is decided here, by the path as it stands.
 */
export function parseAgentRoute(target: string): AgentRoute | undefined {
  const match = /^\/agents\/([^/?#]*)(.*)$/s.exec(originForm(target))
  if (!match) return undefined
  const [, name = '', rest = ''] = match
  if (!DEPLOYMENT_NAME.test(name)) throw noDeployment(name)
  return { name, path: unambiguous(rest), prefix: `/agents/${name}` }
}

/**
 * The route of every request where one deployment answers at the root and there is nothing else.
 * Throws `bad_request` like `parseAgentRoute`.
 */
export function rootRoute(target: string, name: string): AgentRoute {
  return { name, path: unambiguous(originForm(target)), prefix: '' }
}

/**
 * What stands before the domain in a `host` header, with or without a port; `undefined` for another
 * host, and for the domain itself.
 */
export function subdomainOf(host: string | undefined, domain: string): string | undefined {
  const name = host?.toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '')
  if (!name?.endsWith(`.${domain}`)) return undefined
  return name.slice(0, -domain.length - 1)
}

function originForm(target: string): string {
  return target.replace(/^https?:\/\/[^/?#]*/i, '')
}

function unambiguous(path: string): string {
  if (isAmbiguous(path)) {
    throw new AppError('bad_request', 'The path must not hold ".", "..", "\\" or "#" segments.')
  }
  return path.startsWith('/') ? path : `/${path}`
}

/** The refusal for a name that nothing answers to, be it absent or another workspace's. */
export function noDeployment(name: string): AppError {
  return new AppError('not_found', `There is no deployment "${name}".`)
}

/**
 * Requests that reach an agent server without a key: CORS preflights, which browsers send without
 * one, and reads of `/ok`, `/info` and `/ui/…`.
 */
export function isOpen(req: IncomingMessage, route: AgentRoute): boolean {
  if (req.method === 'OPTIONS') return 'access-control-request-method' in req.headers
  if (req.method !== 'GET' && req.method !== 'HEAD') return false
  const path = pathOf(route.path)
  return path === '/ok' || path === '/info' || path.startsWith('/ui/')
}

function isAmbiguous(target: string): boolean {
  if (target.includes('#')) return true
  const path = pathOf(target).replace(/%2e/gi, '.').replace(/%2f/gi, '/').replace(/%5c/gi, '\\')
  if (pathOf(target).includes('\\')) return true
  return path.split(/[/\\]/).some((segment) => segment === '.' || segment === '..')
}

function pathOf(target: string): string {
  const query = target.indexOf('?')
  return query === -1 ? target : target.slice(0, query)
}
