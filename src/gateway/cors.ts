/** What pages of other origins may read of the gateway's own answers: what they may of a deployment's. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createContext, Script } from 'node:vm'
import { type CorsConfig, exposedHeaders, isAnyOriginAllowed, originRule } from '../core/cors.ts'
import { endAnswer } from './request-body.ts'

export function isPreflight({ method, headers }: IncomingMessage): boolean {
  return method === 'OPTIONS' && 'access-control-request-method' in headers
}

/** Lets the browser send the request itself, as far as the deployment would: that one is refused. */
export function answerPreflight(req: IncomingMessage, res: ServerResponse, cors: CorsConfig): void {
  const requested = req.headers['access-control-request-headers']
  res.writeHead(204, {
    ...corsHeaders(cors, req.headers.origin),
    ...preflightHeaders(cors, requested),
  })
  endAnswer(req, res)
}

/** What an answer to a page of this origin says of itself; `undefined`: nobody said where it is from. */
export function corsHeaders(
  config: CorsConfig,
  origin: string | undefined,
): Record<string, string> {
  const isAny = isAnyOriginAllowed(config)
  const isAllowed = isAny || (origin !== undefined && isAllowedBy(config, origin))
  return {
    ...(isAllowed && { 'access-control-allow-origin': isAny ? '*' : `${origin}` }),
    ...(config.allow_credentials && { 'access-control-allow-credentials': 'true' }),
    'access-control-expose-headers': exposedHeaders(config).join(','),
    ...(!isAny && { vary: 'Origin' }),
  }
}

/** How long a project's regular expression may take, in ms: the gateway serves others meanwhile. */
const MATCH_MS = 100
const match = new Script('regex.test(origin)')
const matchPlace = createContext({})
/** Their expressions took longer, and are not asked again. */
const tooSlow = new WeakSet<CorsConfig>()

function isAllowedBy(config: CorsConfig, origin: string): boolean {
  return originRule(config, (regex) => {
    if (tooSlow.has(config)) return false
    try {
      Object.assign(matchPlace, { regex, origin })
      return match.runInContext(matchPlace, { timeout: MATCH_MS })
    } catch {
      tooSlow.add(config)
      return false
    }
  })(origin)
}

/** What is more in the answer to a preflight that asks to send the headers `requested`. */
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
