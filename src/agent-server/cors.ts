/** What browsers of other origins may do. */
import type { MiddlewareHandler } from 'hono'
import { cors } from 'hono/cors'
import { type CorsConfig, isAnyOriginAllowed, originRule } from '../core/cors.ts'

/** What SDKs in a browser read from answers; they do not work without. */
const EXPOSED_HEADERS = [
  'Content-Location',
  'Location',
  'X-Pagination-Total',
  'X-Pagination-Next',
  'X-Request-Id',
]

/** Without a configuration every origin may read and write, without cookies. */
export function allowOrigins(config: CorsConfig = {}): MiddlewareHandler {
  const { allow_methods, allow_headers, allow_credentials, max_age } = config
  return cors({
    origin: originOf(config),
    exposeHeaders: exposed(config.expose_headers ?? []),
    ...(allow_methods && { allowMethods: allow_methods }),
    ...(allow_headers && { allowHeaders: allow_headers }),
    ...(allow_credentials && { credentials: true }),
    ...(typeof max_age === 'number' && { maxAge: max_age }),
  })
}

function originOf(config: CorsConfig) {
  if (isAnyOriginAllowed(config)) return '*'
  const isAllowed = originRule(config)
  return (origin: string) => (isAllowed(origin) ? origin : undefined)
}

function exposed(names: string[]): string[] {
  const missing = EXPOSED_HEADERS.filter(
    (name) => !names.some((one) => one.toLowerCase() === name.toLowerCase()),
  )
  return [...names, ...missing]
}
