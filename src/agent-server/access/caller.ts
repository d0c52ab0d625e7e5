/** Identifies the caller of a request, and selects the request headers that graphs and the log see. */
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

/** The context of the routes. */
export interface AgentServerEnv {
  Variables: {
    caller: Caller
    /** The same user, in the form that project routes expect from the official server. */
    auth?: { user: AuthUser; scopes: string[] }
    /** The sender that the request counts for, as reported by the gateway. */
    sender?: Sender
    /** Role of the key that the gateway accepted. Absent: the gateway required no key. */
    role?: Role
    /** Whether the request was already handed to the project's own routes; this happens once. */
    hasProjectHandled?: boolean
    /** The answer's share of the server's answer budget. */
    hold: AnswerHold
    /** The sender that the request was counted for before the caller was authenticated. */
    countedFor?: Sender
  }
  Bindings: {
    /** A request that the server sends to itself; outside requests cannot set this. */
    isInProcess?: boolean
    /** With `isInProcess`: the project's own code sends the request. */
    isProject?: boolean
    /** The server's self-check at start. */
    isSelfCheck?: boolean
    /** With `isInProcess`: the run whose graph sends the request. */
    runId?: string | undefined
    /** Set for WebSocket requests. */
    acceptSocket?: AcceptSocket
  }
}

export interface CallerConfig extends DoorConfig {
  /** Replaces the server's own keys. */
  auth?: ProjectAuth
  /** Which headers graphs see. */
  configurableHeaders: HeaderPatterns
  /** Absent: a caller may send any number of requests. */
  rate?: RateLimit | undefined
}

/**
 * Counts requests before authentication, for routes that do not authenticate. The project's own code
 * may answer them, or pass them on to routes that do.
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
 * Authenticates the caller, once, and counts the request for them. Throws `unauthenticated`,
 * `too_many_requests`, and any refusal of the project's auth. In-process requests need none of the
 * server's keys.
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
 * Throws `forbidden` for operations that the caller's role does not allow, before any project code runs. With the
 * project's own `auth`, roles do not apply.
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
  /** Distinguishes callers. Absent: the server checked no credentials. */
  identity?: string | undefined
}

/** Counts the request for its caller after authentication. A refused request counts too. */
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
 * Health checks and in-process requests are not counted. The server's self-check is counted, because it checks the
 * counting too.
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
 * Studio identifies itself by a header, which any client can send. The server trusts it only with one of its
 * keys. Behind a gateway, the gateway has already checked the key.
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

/** Leaves the body unread for the route. */
function withoutBody({ url, method, headers }: Request): Request {
  return new Request(url, { method, headers })
}

/** Credentials and proxy headers: graphs see them only if the project names them in full. */
const HIDDEN = new Set(['x-api-key', 'x-tenant-id', 'x-service-key', 'authorization', 'cookie'])

const DEFAULT_INCLUDES = ['x-*', 'user-agent']

/** The headers that are included and not excluded, by lower-case name; never the gateway's token. */
function headerChoice({
  includes = DEFAULT_INCLUDES,
  excludes,
}: HeaderPatterns): (headers: Headers) => Record<string, string> {
  const named = new Set(includes.map((one) => one.toLowerCase()))
  const [included, excluded] = [includes, excludes].map((list) => list.map(toRegExp))
  const isShown = (name: string) => {
    if (excluded?.some((one) => one.test(name))) return false
    if (HIDDEN.has(name)) return named.has(name)
    return included?.some((one) => one.test(name)) ?? false
  }
  return (headers) => Object.fromEntries([...headers].filter(([name]) => isShown(name)))
}

/** Never logged, even if the project names them. The log also redacts values that look like secrets. */
const UNLOGGED = [...HIDDEN, 'proxy-authorization', 'set-cookie']

/** The headers that the log shows: those that the project includes, and no credentials. */
export function loggedHeaders({
  includes = [],
  excludes,
}: HeaderPatterns): (headers: Headers) => Record<string, string> {
  return headerChoice({ includes, excludes: [...excludes, ...UNLOGGED] })
}

function toRegExp(pattern: string): RegExp {
  const escaped = pattern.replace(/[^\w*-]/g, '\\$&').replaceAll('*', '.*')
  return new RegExp(`^${escaped}$`, 'i')
}
