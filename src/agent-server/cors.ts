/** What browsers of other origins may do. */
import type { MiddlewareHandler } from 'hono'
import { cors } from 'hono/cors'
import type { CorsConfig } from '../graph/http-config.ts'

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

/** An origin is allowed when either of the two says so. */
function originOf({ allow_origins, allow_origin_regex }: CorsConfig) {
  if (!allow_origin_regex && (!allow_origins || allow_origins.includes('*'))) return '*'
  const whole = allow_origin_regex ? new RegExp(`^(?:${allow_origin_regex})$`) : undefined
  return (origin: string) => {
    const isListed = allow_origins?.some((one) => one === '*' || one === origin) ?? false
    return isListed || whole?.test(origin) ? origin : undefined
  }
}

function exposed(names: string[]): string[] {
  const missing = EXPOSED_HEADERS.filter(
    (name) => !names.some((one) => one.toLowerCase() === name.toLowerCase()),
  )
  return [...names, ...missing]
}
