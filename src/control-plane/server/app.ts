/** The control plane's API, at the root and the same under `/api-host`. */
import { type OpenAPIHono, z } from '@hono/zod-openapi'
import { Hono, type MiddlewareHandler } from 'hono'
import { cors } from 'hono/cors'
import { METRICS_FORMATS } from '../../core/agent/server/metrics.ts'
import { exposedHeaders } from '../../core/network/cors.ts'
import { createApp, createRoutes } from '../../http/app.ts'
import { addCommonRefusals, docsRoutes, documentRoutes } from '../../http/docs.ts'
import { refuseUnmatched } from '../../http/errors.ts'
import { requirePrincipal } from '../../http/keys.ts'
import { observeRequests } from '../../http/observe-requests.ts'
import { RateLimit } from '../../http/rate-limit.ts'
import { requireUtf8 } from '../../http/request-body.ts'
import type { ControlPlaneParts } from '../control-plane-parts.ts'
import { deploymentRoutes } from '../deployments/deployment-routes.ts'
import { domainAskRoutes, domainRoutes } from '../domains/domain-routes.ts'
import { figuresRoutes } from '../figures/figure-routes.ts'
import { exchangeRoutes } from '../integrations/exchange-routes.ts'
import { integrationRoutes } from '../integrations/integration-routes.ts'
import { listenerRoutes } from '../integrations/listener-routes.ts'
import { pushTokenRoutes } from '../integrations/push-token-routes.ts'
import { logRoutes } from '../logs/log-routes.ts'
import { acceptAgentKeys } from '../oauth/agent-keys.ts'
import { connectionRoutes } from '../oauth/connections/connection-routes.ts'
import { oauthCallbackRoutes, withoutLink } from '../oauth/consent/callback-routes.ts'
import { oauthFlowRoutes } from '../oauth/consent/consent-routes.ts'
import { oauthProviderRoutes } from '../oauth/providers/provider-routes.ts'
import { oauthTokenRoutes } from '../oauth/tokens/token-routes.ts'
import { type ControlPlaneEnv, json, limitBody, operationsOf } from '../operations/route.ts'
import { requireAccess } from '../people/access.ts'
import { apiKeyRoutes } from '../people/api-key-routes.ts'
import { auditLogRoutes } from '../people/audit-log-routes.ts'
import { encryptionKeyRoutes } from '../people/encryption-key-routes.ts'
import { workspaceRoutes } from '../people/workspace-routes.ts'
import { pushRoutes, pushWebhookRoutes } from '../pushes/push-routes.ts'
import { revisionRoutes } from '../revisions/revision-routes.ts'
import { oidcRoutes } from '../sessions/oidc-routes.ts'
import { sessionRoutes } from '../sessions/session-routes.ts'
import { signInRoutes } from '../sessions/sign-in-routes.ts'
import { artifactRoutes } from '../sources/artifact-routes.ts'
import { uploadRoutes, uploadUrlRoutes } from '../sources/upload-routes.ts'

/** The title of LangGraph Platform's document: clients recognise the API by it. */
const INFO = { title: 'LangSmith Deployment Control Plane API', version: '0.1.0' }

/**
 * Open without a key: `/ok`, `/openapi.json`, PUT to a signed address, GET of a signed artifact, whether a host is a
 * domain, and OPTIONS preflights;
 * everything else below `/v1` and `/v2`, and `/metrics`, is refused with 401. Routes that others add to the app are
 * not checked here.
 */
export function createControlPlaneApp(parts: ControlPlaneParts): OpenAPIHono<ControlPlaneEnv> {
  const app = createApp<ControlPlaneEnv>(parts.log, { shownPath: withoutLink })
  const { log, metrics, tracer } = parts
  app.use(observeRequests({ log, metrics, ...(tracer && { tracer }), shownPath: withoutLink }))
  const api = apiRoutes(parts)
  app.route('/', api)
  // Through a plain app, so that the document lists each operation once.
  app.route('/api-host', new Hono<ControlPlaneEnv>().route('/', api))
  const refuse = refuseUnmatched(app.routes)
  app.notFound(async (c) => (await parts.pages?.(c.req.raw)) ?? refuse(c))
  return app
}

/** Adds the version to answers of authenticated requests: clients compare it with their own. */
function tellVersion(version: string): MiddlewareHandler {
  return async (c, next) => {
    await next()
    c.header('x-runyard-version', version)
  }
}

/** The API's OpenAPI document, as `/openapi.json` answers it. */
function openApiDocument(app: OpenAPIHono<ControlPlaneEnv>) {
  return addCommonRefusals(app.getOpenAPI31Document({ openapi: '3.1.0', info: INFO }))
}

function apiRoutes(parts: ControlPlaneParts): OpenAPIHono<ControlPlaneEnv> {
  const api = createRoutes<ControlPlaneEnv>()
  // A cookie counts with requests of our own pages only, so any page may send a key, and read refusals.
  api.use(cors({ exposeHeaders: exposedHeaders({}) }))
  api.get('/ok', async (c) => {
    await parts.store.ping()
    if (['true', '1'].includes(c.req.query('check_db') ?? '')) await parts.store.checkWrites()
    return c.json({ ok: true })
  })
  api.route(
    '/',
    documentRoutes(() => openApiDocument(api)),
  )
  api.route('/', docsRoutes('Runyard control plane'))
  api.route('/', uploadRoutes(parts))
  api.route('/', artifactRoutes(parts))
  api.route('/', exchangeRoutes(parts))
  api.route('/', domainAskRoutes(parts))
  api.route('/', pushRoutes(parts))
  api.route('/', oauthCallbackRoutes(parts))
  api.route('/', signInRoutes(parts))
  api.route('/', oidcRoutes(parts))
  const { maxRequestsPerSecond: perSecond } = parts
  const rate = perSecond === undefined ? undefined : new RateLimit(perSecond)
  for (const path of ['/v1/*', '/v2/*', '/metrics']) {
    api.use(
      path,
      requirePrincipal(acceptAgentKeys(parts), rate),
      requireAccess,
      limitBody,
      requireUtf8,
      tellVersion(parts.version),
    )
  }
  api.route('/', deploymentRoutes(parts))
  api.route('/', domainRoutes(parts))
  api.route('/', revisionRoutes(parts))
  api.route('/', logRoutes(parts))
  api.route('/', uploadUrlRoutes(parts))
  api.route('/', pushTokenRoutes(parts))
  api.route('/', pushWebhookRoutes(parts))
  api.route('/', listenerRoutes(parts))
  api.route('/', integrationRoutes())
  api.route('/', oauthProviderRoutes(parts))
  api.route('/', oauthFlowRoutes(parts))
  api.route('/', oauthTokenRoutes(parts))
  api.route('/', connectionRoutes(parts))
  api.route('/', workspaceRoutes(parts))
  api.route('/', apiKeyRoutes(parts))
  api.route('/', auditLogRoutes(parts))
  api.route('/', encryptionKeyRoutes(parts))
  api.route('/', sessionRoutes(parts))
  api.route('/', figuresRoutes(parts))
  api.route('/', metricsRoutes(parts))
  registerSecuritySchemes(api)
  return api
}

function registerSecuritySchemes(app: OpenAPIHono<ControlPlaneEnv>): void {
  const { openAPIRegistry } = app
  openAPIRegistry.registerComponent('securitySchemes', 'API Key', {
    type: 'apiKey',
    in: 'header',
    name: 'X-Api-Key',
    description: 'An API key.',
  })
  openAPIRegistry.registerComponent('securitySchemes', 'Tenant ID', {
    type: 'apiKey',
    in: 'header',
    name: 'X-Tenant-Id',
    description: "The workspace that the API key belongs to; together with 'API Key'.",
  })
  openAPIRegistry.registerComponent('securitySchemes', 'Bearer Auth', {
    type: 'http',
    scheme: 'bearer',
    description: 'An API key as a bearer token.',
  })
  openAPIRegistry.registerComponent('securitySchemes', 'Session', {
    type: 'apiKey',
    in: 'cookie',
    name: 'runyard_session',
    description:
      "A browser that has signed in (`POST /v2/session`); counts with requests of Runyard's own pages only. " +
      'Its name has the port, and `__Host-` with TLS.',
  })
}

/** For admins of the first workspace only: the figures are about all workspaces. */
const readMetrics = operationsOf('Installation (v2)')('get', '/metrics', {
  name: 'read_metrics',
  summary: 'Figures about deployments, rollouts, requests through the gateway and the process',
  request: { query: z.object({ format: z.enum(METRICS_FORMATS).default('prometheus') }) },
  answers: {
    200: {
      description: 'For Prometheus, or with `format=json` the same by name',
      content: {
        'text/plain': { schema: z.string() },
        ...json(z.record(z.string(), z.unknown()), '').content,
      },
    },
  },
})

function metricsRoutes({ metrics }: ControlPlaneParts): OpenAPIHono<ControlPlaneEnv> {
  const routes = createRoutes<ControlPlaneEnv>()
  return routes.openapi(readMetrics, async (c) => {
    const { contentType, body } = await metrics.read(c.req.valid('query').format)
    return c.body(body, 200, { 'content-type': contentType }) as never
  })
}
