/** Decides whether the server accepts a request. */
import { createHash, timingSafeEqual } from 'node:crypto'
import type { Context, MiddlewareHandler } from 'hono'
import {
  CALLER_HEADER,
  GATEWAY_TOKEN_HEADER,
  ROLE_HEADER,
} from '../../core/deployment/internal-requests.ts'
import { AppError } from '../../core/errors.ts'
import { ROLES, type Role } from '../../core/people/api-key.ts'
import { remoteAddress, type Sender } from '../../http/rate-limit.ts'

export interface DoorConfig {
  /** The keys that open the server; none: it is open. */
  apiKeys: readonly string[]
  /** The token that the gateway sends as `x-runyard-gateway`. If set, the server refuses requests without it. */
  gatewayToken?: string
}

/** The `env` of in-process requests; outside requests cannot have it. */
export const IN_PROCESS = { isInProcess: true } as const

/** The same for requests of the project's own code: its auth does not check them. */
export const AS_PROJECT = { isInProcess: true, isProject: true } as const

/** The `env` of the request that a server sends to itself before it is ready. */
export const SELF_CHECK = { isSelfCheck: true } as const

const isMarked =
  (mark: 'isInProcess' | 'isProject' | 'isSelfCheck') =>
  ({ env }: { env?: unknown }): boolean =>
    (env as Record<string, unknown> | undefined)?.[mark] === true

/** Like a caller's request, but no project code answers it: that code might require credentials. */
export const isSelfCheck = isMarked('isSelfCheck')
export const isInProcess = isMarked('isInProcess')
export const isProject = isMarked('isProject')

/** Whether a request needs no credentials: health checks, and files of a page's components. */
export function isOpen({
  req: { method, path },
}: {
  req: { method: string; path: string }
}): boolean {
  if (path === '/ok' || path === '/info') return true
  return (method === 'GET' || method === 'HEAD') && path.startsWith('/ui/')
}

/**
 * Accepts gateway requests and in-process requests; throws `unauthenticated` for others. Stores the sender and the
 * role that the gateway reports. Removes the gateway's headers: project code has no use for them.
 */
export function guardGateway({
  gatewayToken,
}: DoorConfig): MiddlewareHandler<{ Variables: { sender?: Sender; role?: Role } }> {
  return async (c, next) => {
    const { headers } = c.req.raw
    if (gatewayToken !== undefined && !isInProcess(c) && !isOpen(c)) check(headers, gatewayToken)
    const hasToken = headers.has(GATEWAY_TOKEN_HEADER)
    if (gatewayToken !== undefined && isGateway(headers, gatewayToken)) {
      c.set('sender', senderOf(headers))
      const role = roleOf(headers)
      if (role !== undefined) c.set('role', role)
    }
    headers.delete(GATEWAY_TOKEN_HEADER)
    headers.delete(CALLER_HEADER)
    headers.delete(ROLE_HEADER)
    if (hasToken && isProbe(c)) return c.json({ ok: true })
    return next()
  }
}

/** Paths for operators: the deployment's metrics and its webhook deliveries. */
const OF_OPERATORS = /^\/(metrics|webhooks)(\/|$)/

/**
 * Throws `unauthenticated` for operator paths if the gateway has checked no key: a public deployment is open to all
 * and has no users. A project with its own auth decides by that instead.
 */
export function guardOperators({
  gatewayToken,
  auth,
}: DoorConfig & { auth?: unknown }): MiddlewareHandler<{ Variables: { sender?: Sender } }> {
  return async (c, next) => {
    const isGuarded = gatewayToken !== undefined && !auth && !isInProcess(c)
    if (isGuarded && OF_OPERATORS.test(c.req.path) && !('identity' in unknownSender(c))) {
      const why = 'An API key of its control plane is needed, although the deployment is public.'
      throw new AppError('unauthenticated', `${why} Send it as "X-Api-Key: KEY".`)
    }
    await next()
  }
}

/** The sender that a request counts for before it is authenticated. */
export function unknownSender(c: Context): Sender {
  return c.get('sender') ?? { address: remoteAddress(c) }
}

/** The gateway appends the client's address last. */
function senderOf(headers: Headers): Sender {
  const caller = headers.get(CALLER_HEADER)
  if (caller !== null) return { identity: caller }
  return { address: headers.get('x-forwarded-for')?.split(',').at(-1)?.trim() ?? '' }
}

/** Throws `forbidden` for a role of a newer gateway: this version does not know its rights. */
function roleOf(headers: Headers): Role | undefined {
  const sent = headers.get(ROLE_HEADER)
  if (sent === null) return undefined
  const role = ROLES.find((one) => one === sent)
  if (role) return role
  throw new AppError('forbidden', `This agent server is older than the role "${sent}".`)
}

/**
 * Health checks of the runtime driver, which do not come through the gateway. The project's middleware
 * must not answer them: it might require credentials.
 */
function isProbe({ req }: Context): boolean {
  return req.path === '/ok' && req.header('x-forwarded-for') === undefined
}

function check(headers: Headers, token: string): void {
  if (isGateway(headers, token)) return
  throw new AppError('unauthenticated', 'This agent server is reached through its gateway only.')
}

function isGateway(headers: Headers, token: string): boolean {
  const sent = headers.get(GATEWAY_TOKEN_HEADER) ?? ''
  return timingSafeEqual(digest(sent), digest(token))
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
