/** Sets the rights of pages from other origins. */
import type { MiddlewareHandler } from 'hono'
import { cors } from 'hono/cors'
import {
  type CorsConfig,
  exposedHeaders,
  isAnyOriginAllowed,
  originRule,
} from '../../core/network/cors.ts'

/** Without a configuration every origin may read and write, without cookies. */
export function allowOrigins(config: CorsConfig = {}): MiddlewareHandler {
  const { allow_methods, allow_headers, allow_credentials, max_age } = config
  return cors({
    origin: originOf(config),
    exposeHeaders: exposedHeaders(config),
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
