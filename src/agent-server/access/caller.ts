/** Who a request comes from. */
import type { Context, MiddlewareHandler } from 'hono'
import type { AuthUser, Caller } from '../../core/agent/authorization.ts'
import type { ProjectAuth } from '../../core/agent/host/auth.ts'
import type { AcceptSocket } from '../../core/agent/server/client-socket.ts'
import type { HeaderPatterns } from '../../core/agent/server/project-settings.ts'
import { agentNeed, isOnlooker, requireTalk } from '../../core/people/agent-access.ts'
import type { Role } from '../../core/people/api-key.ts'
import { serverKeys } from '../../http/keys.ts'
import type { RateLimit, Sender } from '../../http/rate-limit.ts'
import type { AnswerHold } from '../answer-budget.ts'
import { headerChoice } from './configurable-headers.ts'
import {
  type DoorConfig,
  isInProcess,
  isOpen,
  isProject,
  isSelfCheck,
  unknownSender,
} from './door.ts'

/** The user for requests of Studio, unless the project decides otherwise. */
const STUDIO_USER: AuthUser = {
  kind: 'StudioUser',
  identity: 'langgraph-studio-user',
  display_name: 'langgraph-studio-user',
  is_authenticated: true,
  permissions: [],
}

/** What the routes find in their context. */
export interface AgentServerEnv {
  Variables: {
    caller: Caller
    /** The same person as the project's own routes know it from the official server. */
    auth?: { user: AuthUser; scopes: string[] }
    /** Whom the request counts for, as the gateway says. */
    sender?: Sender
    /** Of whom the gateway has let in with a key. Absent: the gateway asked for none. */
    role?: Role
    /** Whether the request was handed to the project's own routes; it is once. */
    hasProjectHandled?: boolean
    /** What the answer takes of the server's budget. */
    hold: AnswerHold
    /** Whom it was counted for before it was known who the caller is. */
    countedFor?: Sender
  }
  Bindings: {
    /** A request that the server sends to itself; no request from outside can say so. */
    isInProcess?: boolean
    /** Beside that: what the project does for itself. */
    isProject?: boolean
    /** The server's check of itself, at its start. */
    isSelfCheck?: boolean
    /** Beside that: the run whose graph sends the request. */
    runId?: string | undefined
    /** With a request that wants a WebSocket. */
    acceptSocket?: AcceptSocket
  }
}

export interface CallerConfig extends DoorConfig {
  /** Asked instead of the server's own keys. */
  auth?: ProjectAuth
  /** Which headers graphs see. */
  configurableHeaders: HeaderPatterns
  /** Absent: a caller may send any number of requests. */
  rate?: RateLimit | undefined
}

/**
 * Counts requests before it is known who the caller is, for routes that do not ask. The project's own
 * code may answer them, or pass them on to where the caller is found out.
 */
export function countRequests(rate: RateLimit): MiddlewareHandler<AgentServerEnv> {
  return async (c, next) => {
    if (!isUncounted(c)) {
      const sender = unknownSender(c)
      await rate.take(sender)
      c.set('countedFor', sender)
    }
    await next()
  }
}

/**
 * Notes who sent the request, once, and counts it for them. Throws `unauthenticated`,
 * `too_many_requests`, and whatever refusal the project's auth decides on; requests from within need
 * none of the server's keys.
 */
export function noteCaller(config: CallerConfig): MiddlewareHandler<AgentServerEnv> {
  const checkKey = serverKeys(config.apiKeys)
  const choose = headerChoice(config.configurableHeaders)
  return async (c, next) => {
    const { user } = await countFor(c, config.rate, () => recognise(c, config, checkKey))
    if (user) c.set('auth', { user, scopes: user.permissions })
    c.set('caller', {
      identity: user?.identity,
      permissions: user?.permissions ?? [],
      ...(user && { user }),
      ...(isProject(c) && { isProject: true }),
      role: c.get('role'),
      headers: choose(c.req.raw.headers),
    })
    await next()
  }
}

/**
 * Throws `forbidden` for what the caller's role does not allow, before any code of the project is asked. Where the
 * project's own `auth` decides, roles do not count.
 */
export function requireAccess(config: CallerConfig): MiddlewareHandler<AgentServerEnv> {
  const checkKey = serverKeys(config.apiKeys)
  return async (c, next) => {
    const role = c.get('role')
    if (isOnlooker(role)) {
      const { method, path, raw } = c.req
      if (config.auth && !isStudio(raw.headers, config, checkKey)) c.set('role', undefined)
      else if (agentNeed(method, path) === 'talk') requireTalk(role, `${method} ${path}`)
    }
    await next()
  }
}

type CheckKey = ReturnType<typeof serverKeys>

interface Recognised {
  user?: AuthUser
  /** What tells callers apart. Absent: nothing was checked here. */
  identity?: string | undefined
}

/** Counts the request for its caller, once that is known. A refused request counts too. */
async function countFor(
  c: Context<AgentServerEnv>,
  rate: RateLimit | undefined,
  find: () => Promise<Recognised>,
): Promise<Recognised> {
  if (!rate || isUncounted(c)) return find()
  const found = await find().catch(async (refusal: unknown) => {
    await recount(c, rate, unknownSender(c))
    throw refusal
  })
  const { identity } = found
  await recount(c, rate, identity === undefined ? unknownSender(c) : { identity })
  return found
}

async function recount(c: Context<AgentServerEnv>, rate: RateLimit, sender: Sender): Promise<void> {
  const before = c.get('countedFor')
  if (before) await rate.giveBack(before)
  await rate.take(sender)
}

/**
 * Health checks are not counted, nor are requests that the project sends to its server. The server's check of itself is:
 * counting is a part of what it checks.
 */
function isUncounted(c: Context): boolean {
  return (c.req.path === '/ok' && !isSelfCheck(c)) || isInProcess(c)
}

async function recognise(
  c: Context,
  config: CallerConfig,
  checkKey: CheckKey,
): Promise<Recognised> {
  const { headers } = c.req.raw
  const { auth } = config
  if (isOpen(c)) return {}
  if (auth && !isProject(c)) {
    if (isStudio(headers, config, checkKey)) return { user: STUDIO_USER }
    const { raw } = c.req
    const user = await auth.authenticate(auth.wantsBody ? raw.clone() : withoutBody(raw))
    return { user, identity: user.identity }
  }
  return isInProcess(c) ? {} : { identity: checkKey(headers) }
}

/**
 * Studio names itself in a header, which anyone can send. It is believed where the request has a key of the
 * server. Behind a gateway, the gateway has checked that.
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
