/** Caches the results of the project's `authenticate` (`auth.cache` of `langgraph.json`). */
import { createHash } from 'node:crypto'
import type { AuthUser } from '../../core/agent/authorization.ts'
import type { ProjectAuth } from '../../core/agent/host/auth.ts'
import type { AuthCacheConfig } from '../../core/agent/server/project-settings.ts'
import type { Clock } from '../../core/clock.ts'
import { ExpiringMap } from '../../core/expiring-map.ts'

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
