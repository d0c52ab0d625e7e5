/**
 * The sender of a request, and whether it is allowed. Every verb of the agent server calls `Authorize` first, so that a
 * project's own `auth` decides about each operation in one place.
 */
import { equalsJson } from '../exact-json.ts'
import type { JsonObject, JsonValue } from '../json.ts'
import type { Role } from '../people/api-key.ts'

/** The user that the project's `auth` recognised: what its `authenticate` returned, with these fields filled in. */
export interface AuthUser extends JsonObject {
  identity: string
  display_name: string
  is_authenticated: boolean
  permissions: string[]
}

/**
 * The key of a run's `configurable` that holds the `AuthUser`. Graphs see it. Responses never show it: a project may
 * keep the user's own tokens in it, and other users may see the same run.
 */
export const AUTH_USER_KEY = 'langgraph_auth_user'

/** The sender of a request to the agent server. */
export interface Caller {
  /** `undefined`: the server does not authenticate callers. */
  identity: string | undefined
  permissions: string[]
  /** What the project knows about the user. Absent: the project has no `auth`. */
  user?: AuthUser
  /** The caller is the project's own code: its `auth` is not asked. */
  isProject?: boolean
  /** The role that the gateway admitted the caller with; `requireTalk` checks it. Absent: roles do not apply. */
  role?: Role | undefined
  /** The headers that graphs may see in `configurable`: `x-*` and `user-agent`, without keys. */
  headers: Record<string, string>
}

/**
 * Whether the caller is one of the project's developers: the project has no `auth`, or the caller came through Studio
 * or the dashboard with a key of the server. Others are users of the project's own auth.
 */
export function isDeveloper({ user }: Caller): boolean {
  return user === undefined || user.kind === 'StudioUser'
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
 * What the metadata of a visible resource must contain. Keys are joined by AND. The keys `$or` and `$and`
 * hold one or more filters, of which any, or all, must match.
 */
export interface MetadataFilter {
  [key: string]:
    | string
    | { $eq: JsonValue }
    | { $contains: JsonValue | JsonValue[] }
    | MetadataFilter[]
}

/**
 * Allows or refuses one operation. `value` is what the operation will write or search for. The project may change it in
 * place (for operations of the store its `namespace` too); the operation then uses the changed value. Returns a filter
 * when the caller may see only some resources. Throws `forbidden`, or the refusal that the project chose.
 */
export type Authorize = (
  caller: Caller,
  event: AuthorizationEvent,
  value: Record<string, unknown>,
) => Promise<MetadataFilter | undefined>

export const allowAll: Authorize = async () => undefined

/** Whether the filter lets a resource with this metadata through. */
export function matchesFilter(metadata: JsonObject, filter: MetadataFilter | undefined): boolean {
  if (!filter) return true
  return Object.entries(filter).every(([key, condition]) => {
    if (Array.isArray(condition)) return matchesJoined(metadata, key, condition)
    const value = metadata[key]
    if (typeof condition === 'string') return value === condition
    if ('$eq' in condition) return equalsJson(value, condition.$eq)
    const wanted = Array.isArray(condition.$contains) ? condition.$contains : [condition.$contains]
    return (
      Array.isArray(value) && wanted.every((one) => value.some((item) => equalsJson(item, one)))
    )
  })
}

function matchesJoined(metadata: JsonObject, key: string, filters: MetadataFilter[]): boolean {
  const isMatch = (filter: MetadataFilter) => matchesFilter(metadata, filter)
  return key === '$or' ? filters.some(isMatch) : filters.every(isMatch)
}
