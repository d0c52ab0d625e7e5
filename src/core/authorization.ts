/**
 * Who asks, and whether it may. Every verb of the agent server asks `Authorize` first, so that a
 * project's own `auth` decides on every operation from one place.
 */
import type { JsonObject, JsonValue } from './json.ts'

/** Who sent a request to the agent server. */
export interface Caller {
  /** `undefined`: nobody was authenticated, and the server asks for no one. */
  identity: string | undefined
  permissions: string[]
  /** The headers that graphs may see in `configurable` (`x-*` and `user-agent`, without keys). */
  headers: Record<string, string>
}

export type AuthorizationEvent =
  | { resource: 'assistants'; action: 'create' | 'read' | 'update' | 'delete' | 'search' }
  | {
      resource: 'threads'
      action: 'create' | 'read' | 'update' | 'delete' | 'search' | 'create_run'
    }

/** What a thing's metadata must hold to be seen; keys are joined by AND. */
export type MetadataFilter = Record<
  string,
  string | { $eq: JsonValue } | { $contains: JsonValue | JsonValue[] }
>

/**
 * Allows or refuses one operation. `value` is what the operation is about to write; it may be
 * changed in place. Answers a filter when only some things may be seen. Throws `forbidden`.
 */
export type Authorize = (
  caller: Caller,
  event: AuthorizationEvent,
  value: Record<string, unknown>,
) => Promise<MetadataFilter | undefined>

export const allowAll: Authorize = async () => undefined

/** Whether a thing with this metadata may be seen under the filter. */
export function matchesFilter(metadata: JsonObject, filter: MetadataFilter | undefined): boolean {
  if (!filter) return true
  return Object.entries(filter).every(([key, condition]) => {
    const value = metadata[key]
    if (typeof condition === 'string') return value === condition
    if ('$eq' in condition) return isSame(value, condition.$eq)
    const wanted = Array.isArray(condition.$contains) ? condition.$contains : [condition.$contains]
    return Array.isArray(value) && wanted.every((one) => value.some((item) => isSame(item, one)))
  })
}

function isSame(a: JsonValue | undefined, b: JsonValue): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}
