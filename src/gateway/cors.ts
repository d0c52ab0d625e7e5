/** The CORS headers of the gateway's own responses. Pages may read as much of them as of the deployment's responses. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createContext, Script } from 'node:vm'
import {
  type CorsConfig,
  exposedHeaders,
  isAnyOriginAllowed,
  originRule,
} from '../core/network/cors.ts'
import { endAnswer } from './request-body.ts'

export function isPreflight({ method, headers }: IncomingMessage): boolean {
  return method === 'OPTIONS' && 'access-control-request-method' in headers
}

/** Responds to a preflight so that the browser sends the request itself, and gets its refusal. */
export function answerPreflight(req: IncomingMessage, res: ServerResponse, cors: CorsConfig): void {
  const requested = req.headers['access-control-request-headers']
  res.writeHead(204, {
    ...corsHeaders(cors, req.headers.origin),
    ...preflightHeaders(cors, requested),
  })
  endAnswer(req, res)
}

/** The CORS headers of a response to a page of this origin. `undefined`: the request named no origin. */
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
