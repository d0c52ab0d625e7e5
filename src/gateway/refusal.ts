/**
 * The gateway's own responses: refusals in the form of both APIs, `{"detail": "…"}`, preflights, and those for a
 * sleeping deployment.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createContext, Script } from 'node:vm'
import { AppError, HTTP_STATUS } from '../core/errors.ts'
import type { Log } from '../core/log.ts'
import {
  type CorsConfig,
  exposedHeaders,
  isAnyOriginAllowed,
  originRule,
} from '../core/network/cors.ts'
import type { Name } from './name.ts'
import { endAnswer } from './request-body.ts'
import type { AgentRoute } from './route.ts'

/** Returns the refusal for the client. Any other error is logged, and becomes `internal`. */
export function asRefusal(error: unknown, log: Log): AppError {
  if (error instanceof AppError) return error
  log.error({ err: error }, 'the gateway failed to handle a request')
  return new AppError('internal', 'Internal server error; the log says more.', { cause: error })
}

/**
 * The refusal of a request that could not be forwarded because the client is at fault: it is malformed, or its body was
 * refused on the way. `undefined`: the error is another one.
 */
export function faultOfClient(error: Error): AppError | undefined {
  if (error instanceof AppError) return error
  const { code } = error as { code?: string }
  if (code !== 'UND_ERR_INVALID_ARG' && code !== 'UND_ERR_NOT_SUPPORTED') return undefined
  return new AppError('bad_request', `The request cannot be passed on: ${error.message}.`)
}

/**
 * Sends the refusal; the response must not have begun. Pages of other origins may read it as far as `cors` allows. A
 * preflight gets a normal response, so that the browser sends the request itself and sees its refusal.
 */
export function refuse(
  req: IncomingMessage,
  res: ServerResponse,
  refusal: AppError,
  cors: CorsConfig,
): void {
  if (isPreflight(req)) return void answerPreflight(req, res, cors)
  sendJson(
    req,
    res,
    HTTP_STATUS[refusal.code],
    { detail: refusal.issues ?? refusal.message },
    {
      ...corsHeaders(cors, req.headers.origin),
      ...(refusal.code === 'unavailable' && { 'retry-after': '1' }),
      ...(req.headers.expect !== undefined && { connection: 'close' }),
    },
  )
}

function sendJson(
  req: IncomingMessage,
  res: ServerResponse,
  status: number,
  json: object,
  headers: Record<string, string>,
): void {
  const body = Buffer.from(JSON.stringify(json))
  const about = { 'content-type': 'application/json', 'content-length': body.length }
  res.writeHead(status, { ...headers, ...about })
  if (req.method !== 'HEAD') res.write(body)
  endAnswer(req, res)
}

// The CORS headers of the gateway's own responses. Pages may read as much of them as of the deployment's responses.

function isPreflight({ method, headers }: IncomingMessage): boolean {
  return method === 'OPTIONS' && 'access-control-request-method' in headers
}

/** Responds to a preflight so that the browser sends the request itself, and gets its refusal. */
function answerPreflight(req: IncomingMessage, res: ServerResponse, cors: CorsConfig): void {
  const requested = req.headers['access-control-request-headers']
  res.writeHead(204, {
    ...corsHeaders(cors, req.headers.origin),
    ...preflightHeaders(cors, requested),
  })
  endAnswer(req, res)
}

/** The CORS headers of a response to a page of this origin. `undefined`: the request named no origin. */
function corsHeaders(config: CorsConfig, origin: string | undefined): Record<string, string> {
  const isAny = isAnyOriginAllowed(config)
  const isAllowed = isAny || (origin !== undefined && isAllowedBy(config, origin))
  return {
    ...(isAllowed && { 'access-control-allow-origin': isAny ? '*' : `${origin}` }),
    ...(config.allow_credentials && { 'access-control-allow-credentials': 'true' }),
    'access-control-expose-headers': exposedHeaders(config).join(','),
    ...(!isAny && { vary: 'Origin' }),
  }
}

/** How long a project's regular expression may run, in ms. The gateway cannot serve others meanwhile. */
const MATCH_MS = 100
/** How many times it is tried: on a busy machine the time may pass without computing. */
const MATCH_TRIES = 3
const match = new Script('regex.test(origin)')
const matchPlace = createContext({})
/** The configurations whose expressions took longer each time. They are not run again. */
const tooSlow = new WeakSet<CorsConfig>()

function isAllowedBy(config: CorsConfig, origin: string): boolean {
  return originRule(config, (regex) => {
    if (tooSlow.has(config)) return false
    Object.assign(matchPlace, { regex, origin })
    for (let tries = 0; tries < MATCH_TRIES; tries += 1) {
      try {
        return match.runInContext(matchPlace, { timeout: MATCH_MS })
      } catch {
        // The machine may be slow.
      }
    }
    tooSlow.add(config)
    return false
  })(origin)
}

/** The further headers of the response to a preflight for the headers `requested`. */
function preflightHeaders(
  { allow_methods, allow_headers, max_age }: CorsConfig,
  requested: string | undefined,
): Record<string, string> {
  const headers = allow_headers?.join(',') ?? requested
  return {
    'access-control-allow-methods': (allow_methods ?? ALLOWED_METHODS).join(','),
    ...(headers && { 'access-control-allow-headers': headers }),
    ...(typeof max_age === 'number' && { 'access-control-max-age': `${max_age}` }),
  }
}

const ALLOWED_METHODS = ['GET', 'HEAD', 'PUT', 'POST', 'DELETE', 'PATCH', 'QUERY']

/**
 * Answers a request without a key for a sleeping deployment, without waking it. `false`: the deployment must answer, since
 * it is public or its own auth may admit the caller. Throws `unauthenticated` if only a key may wake it.
 */
export function answerForSleeper(
  req: IncomingMessage,
  res: ServerResponse,
  { route, name }: { route: AgentRoute; name: Name },
): boolean {
  if (route.path === '/ok') {
    const headers = corsHeaders(name.cors, req.headers.origin)
    sendJson(req, res, 200, { ok: true, asleep: true }, headers)
    return true
  }
  if (name.hasOwnAuth !== false) return false
  if (req.method === 'OPTIONS') {
    answerPreflight(req, res, name.cors)
    return true
  }
  if (name.isPublic) return false
  throw new AppError(
    'unauthenticated',
    `"${name.name}" is asleep. A request with an API key wakes it: send the key as "X-Api-Key: KEY".`,
  )
}

/** Sends a 204: it sleeps on, and nothing was done. */
export function answerGlance(req: IncomingMessage, res: ServerResponse, { cors }: Name): void {
  res.writeHead(204, { ...corsHeaders(cors, req.headers.origin), 'x-runyard-asleep': 'true' })
  endAnswer(req, res)
}
