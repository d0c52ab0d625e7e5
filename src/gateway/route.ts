/** Decides which requests are for an agent, by path or by a deployment's own host, and which of those need no key. */
import type { IncomingMessage } from 'node:http'
import { DEPLOYMENT_NAME } from '../core/deployment/deployment.ts'
import { RUNTIME_LINK_PATH } from '../core/deployment/internal-requests.ts'
import type { HostTable } from '../core/deployment/target.ts'
import { AppError } from '../core/errors.ts'

export interface AgentRoute {
  /** The deployment's name. */
  name: string
  /** Path and query for the agent server, byte for byte as the client sent them. */
  path: string
  /** What came before the path: `/agents/<name>`, or nothing for a deployment at the root. */
  prefix: string
}

/**
 * Reads a request target in origin or absolute form. `undefined`: it is not below `/agents/`. Throws `not_found` for an
 * impossible deployment name. Throws `bad_request` for a path that a URL parser behind the gateway could read
 * differently (dot segments, `\`, `#`, in any encoding), because the path as written decides whether a key is needed.
 * Throws `not_found` for the runtime driver's own path.
 */
export function parseAgentRoute(target: string): AgentRoute | undefined {
  const match = /^\/agents\/([^/?#]*)(.*)$/s.exec(originForm(target))
  if (!match) return undefined
  const [, name = '', rest = ''] = match
  if (!DEPLOYMENT_NAME.test(name)) throw noDeployment(name)
  return { name, path: unambiguous(rest), prefix: `/agents/${name}` }
}

/**
 * The route of any request when one deployment answers at the root. Throws `bad_request` like
 * `parseAgentRoute`.
 */
export function rootRoute(target: string, name: string): AgentRoute {
  return { name, path: unambiguous(originForm(target)), prefix: '' }
}

/**
 * The part of a `host` header before the domain; a port does not matter. `undefined`: it is another host,
 * or the domain itself.
 */
export function subdomainOf(host: string | undefined, domain: string): string | undefined {
  const name = host && nameInHost(host)
  if (!name?.endsWith(`.${domain}`)) return undefined
  return name.slice(0, -domain.length - 1)
}

function originForm(target: string): string {
  if (target.startsWith('/')) return target
  return target.replace(/^https?:\/\/[^/?#]*/i, '')
}

function unambiguous(path: string): string {
  if (isAmbiguous(path)) {
    throw new AppError('bad_request', 'The path must not contain ".", "..", "\\" or "#" segments.')
  }
  if (pathOf(path) === RUNTIME_LINK_PATH) {
    throw new AppError('not_found', 'This path is for the runtime driver only.')
  }
  return path.startsWith('/') ? path : `/${path}`
}

/** The refusal for a name that does not exist or belongs to another workspace. */
export function noDeployment(name: string): AppError {
  return new AppError('not_found', `There is no deployment "${name}".`)
}

/**
 * Whether the request needs no key: CORS preflights, which browsers send without one, and reads of `/ok`,
 * `/info` and `/ui/…`.
 */
export function isOpen(req: IncomingMessage, route: AgentRoute): boolean {
  if (req.method === 'OPTIONS') return 'access-control-request-method' in req.headers
  if (req.method !== 'GET' && req.method !== 'HEAD') return false
  const path = pathOf(route.path)
  return path === '/ok' || path === '/info' || path.startsWith('/ui/')
}

/** Whether the path looks like one for operators only, below any prefix. */
export function isOfOperators({ path }: AgentRoute): boolean {
  return /\/(metrics|webhooks\/.*)$/.test(pathOf(path))
}

/** Matches every ambiguous target, and few others. */
const SUSPICIOUS = /[.%\\#]/

function isAmbiguous(target: string): boolean {
  if (!SUSPICIOUS.test(target)) return false
  if (target.includes('#')) return true
  const path = pathOf(target).replace(/%2e/gi, '.').replace(/%2f/gi, '/').replace(/%5c/gi, '\\')
  if (pathOf(target).includes('\\')) return true
  return path.split(/[/\\]/).some((segment) => segment === '.' || segment === '..')
}

function pathOf(target: string): string {
  const query = target.indexOf('?')
  return query === -1 ? target : target.slice(0, query)
}

// The deployments' own hosts, at whose root they answer.

/** The name in a `host` header: in lower case, without its port and a dot at the end. */
function nameInHost(host: string): string {
  return host.toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '')
}

interface HostNamesOptions {
  /** The known URLs of this server itself. */
  ownUrls?: () => readonly (string | null | undefined)[]
  /** The base domain of hosts that are named after deployments. */
  domain?: string | undefined
}

/**
 * A host that is now this server's own never leads to a deployment, even if it did when the domain was added: a change
 * of settings must not lock the operator out.
 */
export class HostNames implements HostTable {
  readonly #options: HostNamesOptions
  #names: ReadonlyMap<string, string> = new Map()

  constructor(options: HostNamesOptions = {}) {
    this.#options = options
  }

  replace(names: ReadonlyMap<string, string>): void {
    const { domain } = this.#options
    const own = this.#ownHosts()
    const isOwn = (host: string) =>
      own.includes(host) ||
      (domain !== undefined && (host === domain || host.endsWith(`.${domain}`)))
    this.#names = new Map([...names].filter(([host]) => !isOwn(host)))
  }

  /** Whether this domain contains hosts of Runyard itself or of other deployments; the `host` itself does not count. */
  isShared(domain: string, host: string | undefined): boolean {
    const name = nameInHost(domain.replace(/^\./, ''))
    if (host !== undefined && name === nameInHost(host)) return false
    const whose = this.deploymentAt(host)
    const others = [...this.#names].filter(([, deployment]) => deployment !== whose)
    const { domain: base = [] } = this.#options
    return [...this.#ownHosts(), ...others.map(([other]) => other)]
      .concat(base)
      .some((one) => one === name || one.endsWith(`.${name}`))
  }

  #ownHosts(): string[] {
    const { ownUrls = () => [] } = this.#options
    return ownUrls().flatMap((url) => (url ? [new URL(url).hostname] : []))
  }

  /** The deployment whose host a `host` header names; called for each request. */
  deploymentAt(host: string | undefined): string | undefined {
    if (this.#names.size === 0 || host === undefined) return undefined
    return this.#names.get(host) ?? this.#names.get(nameInHost(host))
  }
}
