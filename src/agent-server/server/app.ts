/** The agent server's API as one app, and the app of a server with the role `worker`. */

import type { HttpBindings } from '@hono/node-server'
import type { OpenAPIHono } from '@hono/zod-openapi'
import type { MiddlewareHandler } from 'hono'
import { cors } from 'hono/cors'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { getPath } from 'hono/utils/url'
import { DEFAULT_HTTP } from '../../core/agent/server/project-settings.ts'
import { AppError } from '../../core/errors.ts'
import {
  type CorsConfig,
  exposedHeaders,
  isAnyOriginAllowed,
  originRule,
} from '../../core/network/cors.ts'
import {
  createApp,
  passOverEmptyQueries,
  type ReadPath,
  requireJson,
  treatBodyAsJson,
} from '../../http/app.ts'
import { addCommonRefusals, docsRoutes, documentRoutes } from '../../http/docs.ts'
import { refuseUnmatched } from '../../http/errors.ts'
import { observeRequests } from '../../http/observe-requests.ts'
import { RateLimit } from '../../http/rate-limit.ts'
import { keepNumbers, limitBody, requireUtf8 } from '../../http/request-body.ts'
import { a2aRoutes } from '../a2a/a2a-routes.ts'
import {
  type AgentServerEnv,
  countRequests,
  loggedHeaders,
  noteCaller,
  requireAccess,
} from '../access/caller.ts'
import { guardGateway, guardOperators, isInProcess } from '../access/door.ts'
import { guardOpenServer, guardSockets } from '../access/open-door.ts'
import type { AppConfig, Parts } from '../agent-server-parts.ts'
import type { AnswerBudget } from '../answer-budget.ts'
import { assistantGraphRoutes } from '../assistants/assistant-graph-routes.ts'
import { assistantRoutes } from '../assistants/assistant-routes.ts'
import { cronRoutes } from '../crons/cron-routes.ts'
import { mcpRoutes } from '../mcp/mcp-routes.ts'
import { protocolRoutes } from '../protocol/protocol-routes.ts'
import { statelessRunRoutes, threadRunRoutes } from '../runs/run-creation-routes.ts'
import { runRoutes } from '../runs/run-routes.ts'
import { runSearchRoutes } from '../runs/run-search-routes.ts'
import { storeRoutes } from '../store/item-routes.ts'
import { threadStreamRoutes } from '../streams/thread-stream-routes.ts'
import { historyRoutes } from '../threads/history-routes.ts'
import { stateRoutes } from '../threads/state-routes.ts'
import { threadRoutes } from '../threads/thread-routes.ts'
import { timelineRoutes } from '../timelines/timeline-routes.ts'
import { uiRoutes } from '../ui/ui-routes.ts'
import { webhookDeliveryRoutes } from '../webhooks/webhook-routes.ts'
import { describeRest, describeSecurity, leaveOut } from './api-parts.ts'
import { mountProjectRoutes, warnOfOpenRoutes } from './custom-routes.ts'
import { metaRoutes } from './meta-routes.ts'

const DEFAULT_MAX_BODY_BYTES = 300 * 1024 * 1024

/** The whole API at the root, its description at `/openapi.json`. */
export function createAgentServerApp(parts: Parts, config: AppConfig): OpenAPIHono<AgentServerEnv> {
  const { routes: projectRoutes, openTo, http = DEFAULT_HTTP } = config
  const { configurableHeaders, mountPrefix } = http
  const app = createApp<AgentServerEnv>(parts.log, {
    jsonMethods: [],
    ...(mountPrefix && { getPath: pathBelow(mountPrefix) }),
  })
  const perSecond = parts.limits?.maxRequestsPerSecond
  const rate = perSecond === undefined ? undefined : new RateLimit(perSecond)
  const caller = noteCaller({ ...config, configurableHeaders, rate })
  const isCallerFirst = !projectRoutes || http.isCustomRouteAuthEnabled
  const shownHeaders = http.loggingHeaders && loggedHeaders(http.loggingHeaders)
  app.use(observeRequests({ ...parts, shownHeaders }))
  app.use(holdAnswers(parts.answers))
  if (openTo) app.use(guardOpenServer(openTo, http.cors, parts.log))
  app.use(allowOrigins(http.cors))
  app.use(guardGateway(config))
  if (config.gatewayToken !== undefined) app.use(requireAccess({ ...config, configurableHeaders }))
  app.use(guardSockets(http.cors))
  app.use(limitBody(config.maxBodyBytes ?? DEFAULT_MAX_BODY_BYTES))
  if (isCallerFirst) app.use(caller)
  else if (rate) app.use(countRequests(rate))
  if (projectRoutes) mountProjectRoutes(app, projectRoutes, parts.log)
  if (projectRoutes && isCallerFirst && hasCredentials(config))
    warnOfOpenRoutes(projectRoutes, parts.log)
  if (!isCallerFirst) app.use(caller)
  app.use(guardOperators(config))
  app.use(leaveOut(http.disabled))
  if (openTo) app.use(requireJson)
  app.use(
    treatBodyAsJson(['POST', 'PUT', 'PATCH', 'DELETE']),
    requireUtf8,
    keepNumbers,
    passOverEmptyQueries,
  )
  const routers = [
    metaRoutes(parts, config),
    assistantRoutes(parts),
    assistantGraphRoutes(parts),
    threadRoutes(parts),
    stateRoutes(parts),
    historyRoutes(parts),
    threadRunRoutes(parts),
    threadStreamRoutes(parts),
    protocolRoutes(parts),
    runRoutes(parts),
    runSearchRoutes(parts),
    timelineRoutes(parts),
    statelessRunRoutes(parts),
    webhookDeliveryRoutes(parts),
    storeRoutes(parts),
    cronRoutes(parts),
    mcpRoutes(parts, config.version),
    a2aRoutes(parts, config),
    uiRoutes(parts, mountPrefix),
    docsRoutes<AgentServerEnv>('Runyard agent server'),
    documentRoutes<AgentServerEnv>(() => describe(app, config)),
  ]
  for (const routes of routers) app.route('/', routes)
  // Only of our own routes: the project's routes decide which methods they accept.
  app.notFound(refuseUnmatched(routers.flatMap(({ routes }) => routes)))
  registerSecuritySchemes(app)
  return app
}

/** Whether callers need credentials. */
function hasCredentials({ apiKeys, auth, gatewayToken }: AppConfig): boolean {
  return apiKeys.length > 0 || auth !== undefined || gatewayToken !== undefined
}

function describe(
  app: OpenAPIHono<AgentServerEnv>,
  { version, security, http = DEFAULT_HTTP }: AppConfig,
) {
  const document = app.getOpenAPI31Document({
    openapi: '3.1.0',
    info: { title: 'Runyard agent server', version },
    security: [{ 'API Key': [] }, { 'Bearer Auth': [] }],
  })
  const described = addCommonRefusals(describeRest(document, http.disabled))
  return security ? describeSecurity(described, security) : described
}

/** The schemes of the server's keys. A server without keys is open; behind a gateway, the gateway checks its keys. */
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

/** A path prefix that no route has. */
const ELSEWHERE = '/.elsewhere'

/**
 * Reads the path below the prefix. Monitoring reaches `/ok` without the prefix too, and in-process
 * requests may leave it out: the project's clients do not know it.
 */
function pathBelow(prefix: string): ReadPath {
  return (request, options) => {
    const path = getPath(request)
    if (path === prefix) return '/'
    if (path.startsWith(`${prefix}/`)) return path.slice(prefix.length)
    const isWithin = path === '/ok' || isInProcess(options ?? {})
    return isWithin ? path : ELSEWHERE + path
  }
}

/** Without a configuration every origin may read and write, without cookies. */
function allowOrigins(config: CorsConfig = {}): MiddlewareHandler {
  const { allow_methods, allow_headers, allow_credentials, max_age } = config
  return cors({
    origin: originOf(config),
    exposeHeaders: exposedHeaders(config),
    ...(allow_methods && { allowMethods: allow_methods }),
    ...(allow_headers && { allowHeaders: allow_headers }),
    ...(allow_credentials && { credentials: true }),
    ...(typeof max_age === 'number' && { maxAge: max_age }),
  })
}

function originOf(config: CorsConfig) {
  if (isAnyOriginAllowed(config)) return '*'
  const isAllowed = originRule(config)
  return (origin: string) => (isAllowed(origin) ? origin : undefined)
}

/**
 * The app of a worker: `/ok` and `/info` for all, `/metrics` for callers with access to the server. At the root, and
 * without the project's routes: their middleware must not decide a worker's health. All else is refused with
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

type HeaderRecord = Record<string, string | string[]>

/**
 * Gives each request a `hold` until the client has received the answer or has left. Routes that know the size of their
 * answer reserve it before they read; answers by `c.json` are always counted.
 */
function holdAnswers(budget: AnswerBudget): MiddlewareHandler<AgentServerEnv> {
  return async (c, next) => {
    const { outgoing } = (c.env ?? {}) as Partial<HttpBindings>
    const hold = budget.open()
    c.set('hold', hold)
    c.json = ((value: unknown, status?: ContentfulStatusCode, headers?: HeaderRecord) => {
      const text = JSON.stringify(value) ?? ''
      hold.atLeast(Buffer.byteLength(text))
      return c.body(text, status, { 'content-type': 'application/json', ...headers })
    }) as unknown as typeof c.json
    outgoing?.once('close', hold.release)
    try {
      await next()
    } finally {
      // An in-process request has its answer now.
      if (!outgoing) hold.release()
    }
  }
}
