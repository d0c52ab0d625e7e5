import type { ProjectAuth } from '../core/agent/host/auth.ts'
import type { ProjectRoutes } from '../core/agent/host/project-routes.ts'
import type { HttpConfig, OpenApiSecurity } from '../core/agent/server/project-settings.ts'
import type { DoorConfig } from './access/door.ts'
import type { OpenTo } from './access/open-door.ts'

/** The API's configuration, besides its parts. */
export interface AppConfig extends DoorConfig {
  version: string
  /** Runyard's URL as clients see it. Default: the URL that the request was sent to. */
  publicUrl?: string
  /** Maximum size of a request body. Default 300 MiB. */
  maxBodyBytes?: number
  /** The project's own auth, instead of keys. */
  auth?: ProjectAuth
  /** The security scheme in the OpenAPI description. Default: the server's keys. */
  security?: OpenApiSecurity
  /** The project's own routes. */
  routes?: ProjectRoutes
  /** Allowed hosts and origins of a server without keys and auth. Absent: all. */
  openTo?: OpenTo
  /** Default: as without `http` in `langgraph.json`. */
  http?: HttpConfig
}
