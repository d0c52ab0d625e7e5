/** `auth` of `langgraph.json`: the project's own rules for who may use the server. */
import { z } from 'zod'
import type { AuthSettings } from '../core/agent/server/project-settings.ts'
import { type ModuleSpec, type ReadingConfig, resolveModule } from './module-spec.ts'

/** Where the project's `Auth` comes from. */
export type AuthConfig<Module extends ModuleSpec = ModuleSpec> = Module &
  AuthSettings & {
    /** Whether Studio users of the project are authenticated like all others. */
    isStudioAuthDisabled: boolean
  }

const Schemes = z.record(z.string(), z.json(), 'write security schemes as OpenAPI has them')
const Security = z.array(z.json(), 'write a list of requirements, such as {"OAuth2": ["me"]}')

/** The part `auth` of the file; keys of other servers are accepted. */
export const AuthEntry = z.looseObject({
  path: z.string('write "./<file>:<export>"').nullish(),
  disable_studio_auth: z.boolean('write true or false').nullish(),
  cache: z
    .looseObject({
      cache_keys: z.array(z.string(), 'write a list of headers').nullish(),
      ttl_seconds: z.number('write a number of seconds above 0').positive().nullish(),
      max_size: z.int('write a whole number above 0').positive().nullish(),
    })
    .nullish(),
  openapi: z
    .looseObject({
      securitySchemes: Schemes.nullish(),
      security_schemes: Schemes.nullish(),
      security: Security.nullish(),
      paths: z.record(z.string(), z.record(z.string(), Security)).nullish(),
    })
    .nullish(),
})

const DEFAULT_CACHE = { ttl_seconds: 60, max_size: 1000 }

/** `undefined` if the file names no auth. Throws `bad_request`. */
export async function readAuthConfig(
  reading: ReadingConfig,
  entry: z.infer<typeof AuthEntry> | null | undefined,
): Promise<AuthConfig | undefined> {
  if (!entry?.path) return undefined
  const module = await resolveModule(reading, '"auth.path"', entry.path, 'default')
  return {
    ...module,
    isStudioAuthDisabled: entry.disable_studio_auth ?? false,
    ...cacheOf(entry),
    ...openApiOf(entry),
  }
}

/** Without headers that distinguish callers, nothing can be cached. */
function cacheOf({ cache }: z.infer<typeof AuthEntry>): Pick<AuthSettings, 'cache'> {
  const keys = (cache?.cache_keys ?? []).map((name) => name.toLowerCase())
  if (keys.length === 0) return {}
  const ttlMs = (cache?.ttl_seconds ?? DEFAULT_CACHE.ttl_seconds) * 1000
  return { cache: { keys, ttlMs, maxSize: cache?.max_size ?? DEFAULT_CACHE.max_size } }
}

function openApiOf({ openapi }: z.infer<typeof AuthEntry>): Pick<AuthSettings, 'openapi'> {
  if (!openapi) return {}
  const { security, paths } = openapi
  const securitySchemes = openapi.securitySchemes ?? openapi.security_schemes
  return {
    openapi: {
      ...(securitySchemes && { securitySchemes }),
      ...(security && { security }),
      ...(paths && { paths }),
    },
  }
}
