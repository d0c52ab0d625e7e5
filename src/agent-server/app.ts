/** The agent server's API as one app. */
import type { OpenAPIHono } from '@hono/zod-openapi'
import { cors } from 'hono/cors'
import { createApp } from '../http/app.ts'
import { limitBody } from '../http/body-limit.ts'
import { docsRoutes } from '../http/docs.ts'
import { type AgentServerEnv, type DoorConfig, guardDoor } from './caller.ts'
import type { Parts } from './parts.ts'
import { a2aRoutes } from './routes/a2a.ts'
import { assistantGraphRoutes } from './routes/assistant-graph.ts'
import { assistantRoutes } from './routes/assistants.ts'
import { historyRoutes } from './routes/history.ts'
import { mcpRoutes } from './routes/mcp.ts'
import { metaRoutes } from './routes/meta.ts'
import { protocolRoutes } from './routes/protocol.ts'
import { runRoutes } from './routes/runs.ts'
import { stateRoutes } from './routes/state.ts'
import { statelessRunRoutes } from './routes/stateless-runs.ts'
import { storeRoutes } from './routes/store.ts'
import { threadRunRoutes } from './routes/thread-runs.ts'
import { threadStreamRoutes } from './routes/thread-stream.ts'
import { threadRoutes } from './routes/threads.ts'
import { webhookDeliveryRoutes } from './routes/webhook-deliveries.ts'

/** What SDKs in a browser read from answers. */
const EXPOSED_HEADERS = ['Content-Location', 'Location', 'X-Pagination-Total', 'X-Pagination-Next']

const DEFAULT_MAX_BODY_BYTES = 300 * 1024 * 1024

/** The whole API at the root, its description at `/openapi.json`. */
export function createAgentServerApp(
  parts: Parts,
  config: DoorConfig & {
    version: string
    /** The largest request that is read. Default 300 MiB. */
    maxBodyBytes?: number
  },
): OpenAPIHono<AgentServerEnv> {
  const app = createApp<AgentServerEnv>(parts.log, ['POST', 'PUT', 'PATCH', 'DELETE'])
  app.use(cors({ origin: '*', exposeHeaders: EXPOSED_HEADERS }))
  app.use(guardDoor(config))
  app.use(limitBody(config.maxBodyBytes ?? DEFAULT_MAX_BODY_BYTES))
  const routers = [
    metaRoutes(parts, config.version),
    assistantRoutes(parts),
    assistantGraphRoutes(parts),
    threadRoutes(parts),
    stateRoutes(parts),
    historyRoutes(parts),
    threadRunRoutes(parts),
    threadStreamRoutes(parts),
    protocolRoutes(parts),
    runRoutes(parts),
    statelessRunRoutes(parts),
    webhookDeliveryRoutes(parts),
    storeRoutes(parts),
    mcpRoutes(parts, config.version),
    a2aRoutes(parts, { version: config.version, needsKey: isGuarded(config) }),
  ]
  for (const routes of routers) app.route('/', routes)
  app.route('/', docsRoutes('Runyard agent server'))
  registerSecuritySchemes(app)
  app.doc31('/openapi.json', {
    openapi: '3.1.0',
    info: { title: 'Runyard agent server', version: config.version },
    security: [{ 'API Key': [] }, { 'Bearer Auth': [] }],
  })
  return app
}

function isGuarded({ apiKeys, gatewayToken }: DoorConfig): boolean {
  return apiKeys.length > 0 || gatewayToken !== undefined
}

/** Of the server's own keys; a server without keys is open, and one behind a gateway asks for its. */
function registerSecuritySchemes({ openAPIRegistry }: OpenAPIHono<AgentServerEnv>): void {
  openAPIRegistry.registerComponent('securitySchemes', 'API Key', {
    type: 'apiKey',
    in: 'header',
    name: 'X-Api-Key',
    description: 'An API key.',
  })
  openAPIRegistry.registerComponent('securitySchemes', 'Bearer Auth', {
    type: 'http',
    scheme: 'bearer',
    description: 'An API key as a bearer token.',
  })
}
