/** `http` of `langgraph.json`: the project's own routes, and how the API is served. */
import { z } from 'zod'
import {
  API_PARTS,
  type HeaderPatterns,
  type HttpConfig,
} from '../core/agent/server/project-settings.ts'
import { AppError } from '../core/errors.ts'
import { type ModuleSpec, type ReadingConfig, resolveModule } from './module-spec.ts'

export interface ProjectHttp extends HttpConfig {
  /** The app in front of the API. */
  app?: ModuleSpec
  /** Whether the app's middleware comes before the project's `auth`, or after it. */
  middlewareOrder: (typeof MIDDLEWARE_ORDERS)[number]
  /** Whether the project asks for the API keys of its callers, which the gateway drops otherwise. */
  forwardsApiKey: boolean
}

const MIDDLEWARE_ORDERS = ['middleware_first', 'auth_first'] as const

const Flag = z.boolean('write true or false').nullish()
const Texts = z.array(z.string(), 'write a list of texts').nullish()

/** The names go into headers, which hold no line breaks and the like. */
const Names = z.array(z.string().regex(/^[\x20-\x7e]*$/, 'write names as HTTP has them')).nullish()

/** The part `cors`; the whole of `CORS_CONFIG`. */
export const CorsEntry = z.looseObject({
  allow_origins: Texts,
  /** Has to match the whole origin. */
  allow_origin_regex: z.string().refine(isRegex, 'write a regular expression').nullish(),
  allow_methods: Names,
  allow_headers: Names,
  allow_credentials: Flag,
  expose_headers: Names,
  /** In seconds. */
  max_age: z.int().nonnegative('write a number of seconds').nullish(),
})

const HeadersEntry = z
  .looseObject({ includes: Texts, include: Texts, excludes: Texts, exclude: Texts })
  .nullish()

const switches = Object.fromEntries(API_PARTS.map((part) => [`disable_${part}`, Flag]))

/** The part `http` of the file; keys of other servers are accepted. */
export const HttpEntry = z.looseObject({
  app: z.string('write "./<file>:<export>"').nullish(),
  cors: CorsEntry.nullish(),
  configurable_headers: HeadersEntry,
  logging_headers: HeadersEntry,
  enable_custom_route_auth: Flag,
  /** Runyard's own key. Default: whether `configurable_headers.includes` names the header of a key. */
  forward_api_key: Flag,
  middleware_order: z.enum(MIDDLEWARE_ORDERS, 'write "middleware_first" or "auth_first"').nullish(),
  mount_prefix: z.string().nullish(),
  ...switches,
})

/** Throws `bad_request`. */
export async function readHttpConfig(
  reading: ReadingConfig,
  entry: z.infer<typeof HttpEntry> | null | undefined,
): Promise<ProjectHttp> {
  const { app, cors, logging_headers } = entry ?? {}
  const configurableHeaders = patternsOf(entry?.configurable_headers)
  return {
    ...(app && { app: await resolveModule(reading, '"http.app"', app, 'default') }),
    disabled: new Set(API_PARTS.filter((part) => entry?.[`disable_${part}`] === true)),
    ...(cors && { cors }),
    configurableHeaders,
    ...(logging_headers && { loggingHeaders: patternsOf(logging_headers) }),
    middlewareOrder: entry?.middleware_order ?? 'middleware_first',
    isCustomRouteAuthEnabled: entry?.enable_custom_route_auth ?? true,
    forwardsApiKey:
      entry?.forward_api_key ?? (configurableHeaders.includes ?? []).some(isKeyHeader),
    mountPrefix: readPrefix(entry?.mount_prefix ?? '', reading.name),
  }
}

function patternsOf(headers: z.infer<typeof HeadersEntry>): HeaderPatterns {
  const includes = headers?.includes ?? headers?.include
  return { ...(includes && { includes }), excludes: headers?.excludes ?? headers?.exclude ?? [] }
}

/** Full names only: a pattern such as `x-*` asks for no credentials. */
function isKeyHeader(name: string): boolean {
  return ['x-api-key', 'authorization'].includes(name.toLowerCase())
}

function readPrefix(text: string, name: string): string {
  const prefix = text.replace(/\/+$/, '')
  if (prefix === '' || /^(\/[\w.~-]+)+$/.test(prefix)) return prefix
  throw new AppError(
    'bad_request',
    `${name}: "http.mount_prefix": write a path such as "/api", not "${text}".`,
  )
}

function isRegex(text: string): boolean {
  try {
    return new RegExp(text) instanceof RegExp
  } catch {
    return false
  }
}
