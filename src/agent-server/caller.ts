/** Who a request comes from. */
import type { Context, MiddlewareHandler } from 'hono'
import type { AuthUser, Caller } from '../core/authorization.ts'
import type { AcceptSocket } from '../core/client-socket.ts'
import type { ProjectAuth } from '../graph/auth.ts'
import { STUDIO_USER } from '../graph/auth-user.ts'
import type { HeaderPatterns } from '../graph/http-config.ts'
import { serverKeys } from '../http/keys.ts'
import { headerChoice } from './configurable-headers.ts'
import { type DoorConfig, isInProcess, isOpen } from './door.ts'

/** What the routes find in their context. */
export interface AgentServerEnv {
  Variables: {
    caller: Caller
    /** The same person as the project's own routes know it from the official server. */
    auth?: { user: AuthUser; scopes: string[] }
  }
  Bindings: {
    /** A request that the server sends to itself; no request from outside can say so. */
    isInProcess?: boolean
    /** With a request that wants a WebSocket. */
    acceptSocket?: AcceptSocket
  }
}

export interface CallerConfig extends DoorConfig {
  /** Asked instead of the server's own keys. */
  auth?: ProjectAuth
  /** Which headers graphs see. */
  configurableHeaders: HeaderPatterns
}

/**
 * Notes who sent the request, once. Throws `unauthenticated`, and whatever refusal the project's auth
 * decides on; requests from within need none of the server's keys.
 */
export function noteCaller(config: CallerConfig): MiddlewareHandler<AgentServerEnv> {
  const checkKey = serverKeys(config.apiKeys)
  const choose = headerChoice(config.configurableHeaders)
  return async (c, next) => {
    const user = isOpen(c) ? undefined : await recognise(c, config, checkKey)
    if (user) c.set('auth', { user, scopes: user.permissions })
    c.set('caller', {
      identity: user?.identity,
      permissions: user?.permissions ?? [],
      ...(user && { user }),
      headers: choose(c.req.raw.headers),
    })
    await next()
  }
}

type CheckKey = ReturnType<typeof serverKeys>

async function recognise(
  c: Context,
  config: CallerConfig,
  checkKey: CheckKey,
): Promise<AuthUser | undefined> {
  const { headers } = c.req.raw
  const { auth } = config
  if (auth) {
    if (isStudio(headers, config, checkKey)) return STUDIO_USER
    return auth.authenticate(withoutBody(c.req.raw))
  }
  if (!isInProcess(c)) checkKey(headers)
  return undefined
}

/**
 * Studio says so in a header, which anyone can send: it is believed of those who hold a key of the
 * server. Behind a gateway that has checked it.
 */
function isStudio(headers: Headers, config: CallerConfig, checkKey: CheckKey): boolean {
  if (config.auth?.isStudioAuthDisabled || headers.get('x-auth-scheme') !== 'langsmith') {
    return false
  }
  if (config.gatewayToken !== undefined) return true
  if (config.apiKeys.length === 0) return false
  checkKey(headers)
  return true
}

/** The body is left to the route that reads it. */
function withoutBody({ url, method, headers }: Request): Request {
  return new Request(url, { method, headers })
}
