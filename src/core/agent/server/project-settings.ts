/** A project's settings for its server, beside its graphs: plain data of `langgraph.json`, and its bundled `ui`. */
import type { JsonObject, JsonValue } from '../../json.ts'
import type { CorsConfig } from '../../network/cors.ts'
import type { ThreadTtl } from '../thread.ts'
import type { WebhookConfig } from '../webhook.ts'

export interface ProjectSettings {
  /** How long threads are kept. */
  ttl: TtlConfig
  webhooks: WebhookConfig
  /** How items of the store are kept and found. */
  store: StoreConfig
  /** Which parts of the API are served. */
  http: HttpConfig
  /** Absent: the project has no auth, or no settings for it. */
  auth?: AuthSettings
}

export interface AuthSettings {
  /** How long users are cached. Absent: auth runs for each request. */
  cache?: AuthCacheConfig
  /** How callers identify themselves, for the OpenAPI document. Absent: by the server's keys. */
  openapi?: OpenApiSecurity
}

export interface AuthCacheConfig {
  /** The headers that distinguish callers, by lower-case name. */
  keys: readonly string[]
  ttlMs: number
  /** How many users are kept at most. */
  maxSize: number
}

/** Parts of an OpenAPI document, as the project writes them. */
export interface OpenApiSecurity {
  securitySchemes?: JsonObject
  /** For every operation. */
  security?: JsonValue[]
  /** For some operations, by path and method. */
  paths?: Record<string, Record<string, JsonValue[]>>
}

export interface TtlConfig {
  /** The default for threads without a `ttl`. Absent: they are kept forever. */
  defaultTtl?: ThreadTtl
  /** How often expired threads are processed, in minutes. */
  sweepIntervalMinutes: number
  /** How many threads are processed each time at most. */
  sweepLimit: number
}

export interface StoreConfig {
  /** The default lifetime of an item, in minutes. Absent: forever. */
  defaultTtlMinutes?: number
  /** Whether reading an item restarts its lifetime. */
  refreshOnRead: boolean
  /** How often expired items are removed, in minutes; they are hidden at once. */
  sweepIntervalMinutes: number
  /** The paths whose texts are embedded (`items/text.ts`). Absent: no search by meaning. */
  index?: { fields: string[] }
}

/** The parts of the API that a project can leave out, each by `disable_<part>`. */
export const API_PARTS = [
  'assistants',
  'threads',
  'runs',
  'crons',
  'store',
  'mcp',
  'a2a',
  'webhooks',
  'ui',
  'meta',
] as const
export type ApiPart = (typeof API_PARTS)[number]

export interface HttpConfig {
  disabled: ReadonlySet<ApiPart>
  /** What browsers of other origins may do; absent: read and write everything, without cookies. */
  cors?: CorsConfig
  /** Which request headers graphs see in `configurable`. */
  configurableHeaders: HeaderPatterns
  /** Which request headers the log shows; absent: none. */
  loggingHeaders?: HeaderPatterns
  /** Whether the project's `auth` runs before the project's own routes. Default: true. */
  isCustomRouteAuthEnabled: boolean
  /** The prefix of every path: empty, or `/` and more without a `/` at the end. */
  mountPrefix: string
}

/** The settings of a project without `http`. */
export const DEFAULT_HTTP: HttpConfig = {
  disabled: new Set(),
  configurableHeaders: { excludes: [] },
  isCustomRouteAuthEnabled: true,
  mountPrefix: '',
}

/** Names of headers; `*` matches any text. */
export interface HeaderPatterns {
  /** Absent: Runyard's own selection. */
  includes?: string[]
  excludes: string[]
}

/** The UI components of a graph, bundled for pages. */
export interface UiBundle {
  /** The global that the script defines. Its `render` shows a component. */
  globalName: string
  /** By file name: `entrypoint.js`, and `entrypoint.css` when there are styles. */
  files: ReadonlyMap<string, Uint8Array>
}
