/** The app of a server with the role `worker`: health, info and metrics, without the API. */
import type { OpenAPIHono } from '@hono/zod-openapi'
import { DEFAULT_HTTP } from '../../core/agent/server/project-settings.ts'
import { AppError } from '../../core/errors.ts'
import { createApp } from '../../http/app.ts'
import { observeRequests } from '../../http/observe-requests.ts'
import { RateLimit } from '../../http/rate-limit.ts'
import { type AgentServerEnv, noteCaller } from '../access/caller.ts'
import type { Parts } from '../agent-server-parts.ts'
import type { AppConfig } from '../app-config.ts'
import { leaveOut } from './api-parts.ts'
import { metaRoutes } from './meta-routes.ts'

/**
 * `/ok` and `/info` for all, `/metrics` for callers with access to the server. At the root, and without
 * the project's routes: their middleware must not decide a worker's health. All else is refused with
 * `not_found`: clients belong on servers that are stopped gracefully.
 */
export function createWorkerApp(parts: Parts, config: AppConfig): OpenAPIHono<AgentServerEnv> {
  const { http = DEFAULT_HTTP } = config
  const app = createApp<AgentServerEnv>(parts.log)
  const perSecond = parts.limits?.maxRequestsPerSecond
  app.use(observeRequests(parts))
  const rate = perSecond === undefined ? undefined : new RateLimit(perSecond)
  app.use(noteCaller({ ...config, configurableHeaders: http.configurableHeaders, rate }))
  app.use(leaveOut(http.disabled))
  app.route('/', metaRoutes(parts, config))
  app.notFound(() => {
    throw new AppError(
      'not_found',
      'This server is a worker: it answers /ok, /info and /metrics only. Ask one with --role api.',
    )
  })
  return app
}
