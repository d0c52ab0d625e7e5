/** Which handshakes of WebSockets are let in. */
import type { Context, MiddlewareHandler } from 'hono'
import { areCookiesAllowed, type CorsConfig, isOwnOrigin, originRule } from '../../core/cors.ts'
import { AppError } from '../../core/errors.ts'
import type { AgentServerEnv } from './caller.ts'

/** Where the protocol's events are; nothing else takes WebSockets. */
const SOCKET_PATH = /^\/threads\/[^/]+\/stream\/events$/

/**
 * Throws `not_found` where no WebSocket is served, before anything has begun there, and `forbidden` for
 * a page that CORS does not allow: a browser lets any page open a WebSocket, without
 * asking, and sends its cookies along. Where CORS does not allow cookies they are removed.
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

/** As the client named it. */
function hostOf({ req }: Context): string | undefined {
  return req.header('x-forwarded-host')?.split(',')[0]?.trim() ?? req.header('host')
}

function refusedOrigin(origin: string): AppError {
  const how = 'List it in "http.cors.allow_origins" of langgraph.json.'
  return new AppError('forbidden', `The origin ${origin} is not allowed. ${how}`)
}

/** A page cannot set this header here, but a browser sends a password that it has stored: treated as cookies are. */
function forgetCookies(headers: Headers): void {
  headers.delete('cookie')
  if (/^(basic|digest|negotiate) /i.test(headers.get('authorization') ?? '')) {
    headers.delete('authorization')
  }
}
