/** What a project says of the server that it runs in, beside its graphs: plain data of `langgraph.json`. */
import type { CorsConfig } from '../../cors.ts'
import type { JsonObject, JsonValue } from '../../json.ts'
import type { ThreadTtl } from '../thread.ts'
import type { WebhookConfig } from '../webhook.ts'

export interface ProjectSettings {
  /** How long threads are kept. */
  ttl: TtlConfig
  webhooks: WebhookConfig
  /** How items of the store are kept and found. */
  store: StoreConfig
  /** What of the API is served how. */
  http: HttpConfig
  /** Absent: the project has no auth, or says no more of it. */
  auth?: AuthSettings
}

export interface AuthSettings {
  /** For how long users are kept. Absent: auth is asked about each request. */
  cache?: AuthCacheConfig
  /** How the server's description says that callers identify themselves. Absent: by the server's keys. */
  openapi?: OpenApiSecurity
}

export interface AuthCacheConfig {
  /** The headers that tell callers apart, by lower-case name. */
  keys: readonly string[]
  ttlMs: number
  /** How many users are kept at most. */
  maxSize: number
}

/** Parts of an OpenAPI document, as the project writes them. */
export interface OpenApiSecurity {
  securitySchemes?: JsonObject
  /** What holds for each operation. */
  security?: JsonValue[]
  /** What holds for some, by path and method. */
  paths?: Record<string, Record<string, JsonValue[]>>
}

export interface TtlConfig {
  /** What a thread is made with that brings no time of its own. Absent: it is kept for good. */
  defaultTtl?: ThreadTtl
  /** How often threads whose time is up are looked for, in minutes. */
  sweepIntervalMinutes: number
  /** How many threads at most are dealt with each time. */
  sweepLimit: number
}

export interface StoreConfig {
  /** How long an item is kept that brings no time of its own, in minutes. Absent: for good. */
  defaultTtlMinutes?: number
  /** Whether an item begins its time anew when it is read. */
  refreshOnRead: boolean
  /** How often items whose time is up are removed, in minutes; they are not seen before either. */
  sweepIntervalMinutes: number
  /** The paths whose texts are embedded (`item-text.ts`). Absent: items are not found by meaning. */
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
  /** Whether the project's `auth` is asked before the project's own routes. Default: it is. */
  isCustomRouteAuthEnabled: boolean
  /** In front of every path: empty, or `/` and more without a `/` at the end. */
  mountPrefix: string
}

/** What holds where a project says nothing of `http`. */
export const DEFAULT_HTTP: HttpConfig = {
  disabled: new Set(),
  configurableHeaders: { excludes: [] },
  isCustomRouteAuthEnabled: true,
  mountPrefix: '',
}

/** Names of headers, where `*` stands for any text. */
export interface HeaderPatterns {
  /** Absent: those that Runyard shows by itself. */
  includes?: string[]
  excludes: string[]
}
