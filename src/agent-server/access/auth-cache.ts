/** Answers of the project's `authenticate`, kept for a while (`auth.cache` of `langgraph.json`). */
import { createHash } from 'node:crypto'
import type { AuthUser } from '../../core/agent/authorization.ts'
import type { ProjectAuth } from '../../core/agent/host/auth.ts'
import type { AuthCacheConfig } from '../../core/agent/server/project-settings.ts'
import type { Clock } from '../../core/clock.ts'

/**
 * The same auth, which is not asked again about the same values of the headers that the configuration names, whatever
 * path and method they come with. A request without any of these headers is always asked about, and a refusal is not
 * kept. The user of the longest unused values makes room.
 */
export function withAuthCache(
  auth: ProjectAuth,
  { keys, ttlMs, maxSize }: AuthCacheConfig,
  clock: Clock,
): ProjectAuth {
  const kept = new Map<string, { user: AuthUser; until: number }>()
  const keep = (key: string, entry: { user: AuthUser; until: number }) => {
    kept.delete(key)
    kept.set(key, entry)
    const [oldest = ''] = kept.keys()
    if (kept.size > maxSize) kept.delete(oldest)
  }
  return {
    isStudioAuthDisabled: auth.isStudioAuthDisabled,
    ...(auth.wantsBody !== undefined && { wantsBody: auth.wantsBody }),
    authorize: (question) => auth.authorize(question),
    async authenticate(request) {
      const key = keyOf(request.headers, keys)
      const found = key === undefined ? undefined : kept.get(key)
      if (key !== undefined && found && found.until > clock.now()) {
        keep(key, found)
        return found.user
      }
      const user = await auth.authenticate(request)
      if (key !== undefined) keep(key, { user, until: clock.now() + ttlMs })
      return user
    },
  }
}

/** A digest, so that no credentials are kept; `undefined`: none of the headers was sent. */
function keyOf(headers: Headers, names: readonly string[]): string | undefined {
  const sent = names.flatMap((name) => (headers.has(name) ? [[name, headers.get(name)]] : []))
  if (sent.length === 0) return undefined
  return createHash('sha256').update(JSON.stringify(sent)).digest('base64')
}
