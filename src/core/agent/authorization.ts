/**
 * Who asks, and whether it may. Every verb of the agent server asks `Authorize` first, so that a
 * project's own `auth` decides on every operation from one place.
 */
import type { JsonObject, JsonValue } from '../json.ts'

/** Whom the project's `auth` recognised: what its `authenticate` answered, with these filled in. */
export interface AuthUser extends JsonObject {
  identity: string
  display_name: string
  is_authenticated: boolean
  permissions: string[]
}

/**
 * The key of a run's `configurable` that holds the `AuthUser`. Graphs see it; answers never show it: a
 * project may keep the user's own tokens in it, and others may see the same run.
 */
export const AUTH_USER_KEY = 'langgraph_auth_user'

/** Who sent a request to the agent server. */
export interface Caller {
  /** `undefined`: nobody was authenticated, and the server asks for no one. */
  identity: string | undefined
  permissions: string[]
  /** What the project knows of who asks; absent where it has no `auth`. */
  user?: AuthUser
  /** The headers that graphs may see in `configurable` (`x-*` and `user-agent`, without keys). */
  headers: Record<string, string>
}

export type AuthorizationEvent =
  | { resource: 'assistants'; action: 'create' | 'read' | 'update' | 'delete' | 'search' }
  | {
      resource: 'threads'
      action: 'create' | 'read' | 'update' | 'delete' | 'search' | 'create_run'
    }
  | { resource: 'crons'; action: 'create' | 'read' | 'update' | 'delete' | 'search' }
  | { resource: 'store'; action: 'put' | 'get' | 'search' | 'list_namespaces' | 'delete' }

/**
 * What a thing's metadata must hold to be seen; keys are joined by AND. Under the keys `$or` and
 * `$and` stand filters, at least one: of which any, or all, have to let it through.
 */
export interface MetadataFilter {
  [key: string]:
    | string
    | { $eq: JsonValue }
    | { $contains: JsonValue | JsonValue[] }
    | MetadataFilter[]
}

/**
 * Allows or refuses one operation. `value` is what the operation is about to write or to look for; it
 * may be changed in place (of the store's operations its `namespace` too), so what is done is what it
 * holds afterwards. Answers a filter when only some things may be seen. Throws `forbidden`, and
 * whatever refusal the project decided on.
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
    if (Array.isArray(condition)) return matchesJoined(metadata, key, condition)
    const value = metadata[key]
    if (typeof condition === 'string') return value === condition
    if ('$eq' in condition) return isSame(value, condition.$eq)
    const wanted = Array.isArray(condition.$contains) ? condition.$contains : [condition.$contains]
    return Array.isArray(value) && wanted.every((one) => value.some((item) => isSame(item, one)))
  })
}

function matchesJoined(metadata: JsonObject, key: string, filters: MetadataFilter[]): boolean {
  const isMatch = (filter: MetadataFilter) => matchesFilter(metadata, filter)
  return key === '$or' ? filters.some(isMatch) : filters.every(isMatch)
}

function isSame(a: JsonValue | undefined, b: JsonValue): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}
