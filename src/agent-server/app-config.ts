import type { ProjectAuth } from '../core/agent/host/auth.ts'
import type { ProjectRoutes } from '../core/agent/host/routes.ts'
import type { HttpConfig, OpenApiSecurity } from '../core/agent/server/project-settings.ts'
import type { DoorConfig } from './access/door.ts'
import type { OpenTo } from './access/open-door.ts'

/** What the API is told apart from its parts. */
export interface AppConfig extends DoorConfig {
  version: string
  /** Where clients see Runyard. Default: where a request was sent to. */
  publicUrl?: string
  /** The largest request that is read. Default 300 MiB. */
  maxBodyBytes?: number
  /** The project's own auth, instead of keys. */
  auth?: ProjectAuth
  /** How the description says that callers identify themselves. Default: by the server's keys. */
  security?: OpenApiSecurity
  /** The project's own routes. */
  routes?: ProjectRoutes
  /** Of a server without keys and auth: whom it answers. Absent: everyone who comes to it. */
  openTo?: OpenTo
  /** Default: as without `http` in `langgraph.json`. */
  http?: HttpConfig
}
