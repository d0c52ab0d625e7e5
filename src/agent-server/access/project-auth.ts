/**
 * The project's own `auth`: it authorizes every operation, limits lists to the threads that the caller may see, and its
 * `authenticate` may be cached (`auth.cache`).
 */
import { createHash } from 'node:crypto'
import type { Authorize, AuthUser, Caller, MetadataFilter } from '../../core/agent/authorization.ts'
import type { ProjectAuth } from '../../core/agent/host/auth.ts'
import type { AuthCacheConfig } from '../../core/agent/server/project-settings.ts'
import type { Clock } from '../../core/clock.ts'
import { AppError } from '../../core/errors.ts'
import { ExpiringMap } from '../../core/expiring-map.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Parts } from '../agent-server-parts.ts'

/** Also throws `forbidden` for a caller without a user, except for the project itself. */
export function authorizeBy(auth: ProjectAuth): Authorize {
  return async ({ user, permissions, isProject }, event, value) => {
    if (isProject) return undefined
    if (!user) throw new AppError('forbidden', 'This operation needs an authenticated caller.')
    const asked = value as JsonObject
    const decision = await auth.authorize({ user, permissions, event, value: asked })
    if (decision.value !== asked) replace(asked, decision.value)
    return decision.filter
  }
}

function replace(value: JsonObject, other: JsonObject): void {
  for (const key of Object.keys(value)) delete value[key]
  Object.assign(value, other)
}

/**
 * The same auth with a cache. The key is the values of the headers that the configuration names, whatever the path and
 * method. Requests without any of these headers and refusals are not cached. A full cache drops the least recently
 * used entry.
 */
export function withAuthCache(
  auth: ProjectAuth,
  { keys, ttlMs, maxSize }: AuthCacheConfig,
  clock: Clock,
): ProjectAuth {
  const kept = new ExpiringMap<AuthUser>({ entries: maxSize }, clock)
  return {
    isStudioAuthDisabled: auth.isStudioAuthDisabled,
    ...(auth.wantsBody !== undefined && { wantsBody: auth.wantsBody }),
    authorize: (question) => auth.authorize(question),
    async authenticate(request) {
      const key = keyOf(request.headers, keys)
      if (key === undefined) return auth.authenticate(request)
      const found = kept.get(key)
      if (found) return found
      const user = await auth.authenticate(request)
      kept.set(key, user, { ttlMs })
      return user
    },
  }
}

/** A digest, so that the cache holds no credentials. `undefined`: the request has none of the headers. */
function keyOf(headers: Headers, names: readonly string[]): string | undefined {
  const sent = names.flatMap((name) => (headers.has(name) ? [[name, headers.get(name)]] : []))
  if (sent.length === 0) return undefined
  return createHash('sha256').update(JSON.stringify(sent)).digest('base64')
}

/**
 * The filter for lists of runs and deliveries. It combines the filter that the project's auth returns with
 * the metadata that the auth adds to the search.
 */
export async function filterOfSeen(
  { authorize }: Pick<Parts, 'authorize'>,
  caller: Caller,
): Promise<MetadataFilter | undefined> {
  const value: { metadata: JsonObject } = { metadata: {} }
  const filter = await authorize(caller, { resource: 'threads', action: 'search' }, value)
  // A missing value matches nothing, rather than everything.
  const wanted = Object.entries(value.metadata).map(([key, one]) => ({
    [key]: { $eq: one ?? null },
  }))
  if (wanted.length === 0) return filter
  return { $and: filter ? [filter, ...wanted] : wanted }
}
