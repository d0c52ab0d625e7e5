/** `/v2/auth/authenticate`, `/v2/auth/wait`, and the callback of an application's own page. */
import { createRoute, type OpenAPIHono } from '@hono/zod-openapi'
import { createRoutes } from '../../../http/app.ts'
import { body, type ControlPlaneEnv, json, refusals, SECURITY } from '../../operations/route.ts'
import type { OAuthParts } from '../parts.ts'
import { ProviderPathSchema } from '../providers/schemas.ts'
import { authenticate } from './authenticate.ts'
import { takeCallback } from './callback.ts'
import {
  AuthenticateAnswerSchema,
  AuthenticateRequestSchema,
  AuthPathSchema,
  FinalizedSchema,
  FinalizeRequestSchema,
  WaitAnswerSchema,
  WaitQuerySchema,
} from './schemas.ts'
import { waitForConsent } from './wait.ts'

const shared = { tags: ['Auth Service (v2)'], security: SECURITY }

const ask = createRoute({
  method: 'post',
  path: '/v2/auth/authenticate',
  operationId: 'authenticate_v2_auth_authenticate_post',
  summary: "Get a user's token, or a link with which they can give it",
  ...shared,
  request: { body: body(AuthenticateRequestSchema) },
  responses: {
    200: json(AuthenticateAnswerSchema, 'The token, or what is to be done.'),
    ...refusals(401, 404, 422, 429, 503),
  },
})

const wait = createRoute({
  method: 'get',
  path: '/v2/auth/wait/{auth_id}',
  operationId: 'wait_for_auth_completion_v2_auth_wait__auth_id__get',
  summary: 'Wait until a consent was given',
  ...shared,
  request: { params: AuthPathSchema, query: WaitQuerySchema },
  responses: {
    200: json(WaitAnswerSchema, 'What has become of it.'),
    ...refusals(401, 404, 410, 422, 429, 503),
  },
})

const finalize = createRoute({
  method: 'post',
  path: '/v2/auth/callback/{provider_id}',
  operationId: 'oauth_callback_v2_auth_callback__provider_id__post',
  summary: "Hand in what a provider has sent to an application's own page",
  ...shared,
  request: { params: ProviderPathSchema, body: body(FinalizeRequestSchema) },
  responses: {
    200: json(FinalizedSchema, 'The token is there.'),
    ...refusals(400, 401, 403, 404, 409, 410, 422, 503),
  },
})

export function oauthFlowRoutes(parts: OAuthParts): OpenAPIHono<ControlPlaneEnv> {
  const routes = createRoutes<ControlPlaneEnv>()
  routes.openapi(ask, async (c) =>
    c.json(await authenticate(parts, c.var.principal, c.req.valid('json')), 200, NOT_KEPT),
  )
  routes.openapi(wait, async (c) => {
    const { auth_id } = c.req.valid('param')
    const timeoutMs = c.req.valid('query').timeout * 1000
    const { signal } = c.req.raw
    const waited = { auth_id, timeoutMs, signal }
    return c.json(await waitForConsent(parts, c.var.principal, waited), 200, NOT_KEPT)
  })
  routes.openapi(finalize, async (c) => {
    const { provider_id } = c.req.valid('param')
    const { user_id, code, state, iss } = c.req.valid('json')
    const params = new URLSearchParams({ code, state, ...(iss !== undefined && { iss }) })
    const bearerOf = async () => ({ kind: 'caller', principal: c.var.principal, user_id }) as const
    const outcome = await takeCallback(parts, { provider_id, params, bearerOf })
    const token_id = outcome.kind === 'completed' ? outcome.token.id : ''
    return c.json({ status: 'completed' as const, provider_id, token_id }, 200)
  })
  return routes
}

/** RFC 6749, section 5.1: no cache keeps an answer with a token. */
const NOT_KEPT = { 'cache-control': 'no-store' }
