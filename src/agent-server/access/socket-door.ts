/** Decides which WebSocket handshakes the server accepts. */
import type { Context, MiddlewareHandler } from 'hono'
import { AppError } from '../../core/errors.ts'
import {
  areCookiesAllowed,
  type CorsConfig,
  isOwnOrigin,
  originRule,
} from '../../core/network/cors.ts'
import type { AgentServerEnv } from './caller.ts'

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
        if (!isAllowed(origin)) throw refusedOrigin(origin)
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

function refusedOrigin(origin: string): AppError {
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
