/** Who a request comes from, and whether the server answers it at all. */
import { createHash, timingSafeEqual } from 'node:crypto'
import type { MiddlewareHandler } from 'hono'
import type { Caller } from '../core/authorization.ts'
import { AppError } from '../core/errors.ts'
import { GATEWAY_TOKEN_HEADER } from '../core/runtime-protocol.ts'
import { serverKeys } from '../http/keys.ts'

/** What the routes find in their context. */
export interface AgentServerEnv {
  Variables: { caller: Caller }
  /** A request that the server sends to itself; no request from outside can say so. */
  Bindings: { isInProcess?: boolean }
}

export interface DoorConfig {
  /** The keys that open the server; none: it is open. */
  apiKeys: readonly string[]
  /** What the gateway sends as `x-runyard-gateway`; with it the server answers nobody else. */
  gatewayToken?: string
}

/** What a load balancer and a browser's preflight need without a key. */
const OPEN_PATHS = new Set(['/ok', '/info'])

/** Lets a request in and notes its caller, or throws `unauthenticated`. */
export function guardDoor(config: DoorConfig): MiddlewareHandler<AgentServerEnv> {
  const checkKey = serverKeys([...config.apiKeys])
  return async (c, next) => {
    const { headers } = c.req.raw
    if (!OPEN_PATHS.has(c.req.path) && c.env?.isInProcess !== true) {
      checkGateway(headers, config.gatewayToken)
      checkKey(headers)
    }
    c.set('caller', callerOf(headers))
    await next()
  }
}

function checkGateway(headers: Headers, token: string | undefined): void {
  if (token === undefined) return
  const sent = headers.get(GATEWAY_TOKEN_HEADER) ?? ''
  if (timingSafeEqual(digest(sent), digest(token))) return
  throw new AppError('unauthenticated', 'This agent server is reached through its gateway only.')
}

/** Headers that graphs never see: they are credentials, or say where the request came in. */
const HIDDEN = new Set(['x-api-key', 'x-tenant-id', 'x-service-key', GATEWAY_TOKEN_HEADER])

function callerOf(headers: Headers): Caller {
  const shown = [...headers].filter(
    ([name]) => (name.startsWith('x-') && !HIDDEN.has(name)) || name === 'user-agent',
  )
  return { identity: undefined, permissions: [], headers: Object.fromEntries(shown) }
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
