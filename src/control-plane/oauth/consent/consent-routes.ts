/** `/v2/auth/authenticate`, `/v2/auth/wait`, and the callback of an application's own page. */
import {
  body,
  createRoutes,
  json,
  operationsForAnyKey,
  type Routes,
} from '../../operations/route.ts'
import type { OAuthParts } from '../parts.ts'
import { ProviderPathSchema } from '../providers/provider-schemas.ts'
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
} from './consent-schemas.ts'
import { waitForConsent } from './wait.ts'

const operation = operationsForAnyKey('Auth Service (v2)')

const ask = operation('post', '/v2/auth/authenticate', {
  name: 'authenticate',
  summary: "Get a user's token, or a link with which they can give it",
  request: { body: body(AuthenticateRequestSchema) },
  answers: { 200: json(AuthenticateAnswerSchema, 'The token, or what is to be done.') },
  refusals: [404, 429, 503],
})

const wait = operation('get', '/v2/auth/wait/{auth_id}', {
  name: 'wait_for_auth_completion',
  summary: 'Wait until a consent was given',
  request: { params: AuthPathSchema, query: WaitQuerySchema },
  answers: { 200: json(WaitAnswerSchema, 'What has become of it.') },
  refusals: [404, 410, 429, 503],
})

const finalize = operation('post', '/v2/auth/callback/{provider_id}', {
  name: 'oauth_callback',
  summary: "Hand in what a provider has sent to an application's own page",
  request: { params: ProviderPathSchema, body: body(FinalizeRequestSchema) },
  answers: { 200: json(FinalizedSchema, 'The token is there.') },
  refusals: [400, 403, 404, 409, 410, 503],
})

export function oauthFlowRoutes(parts: OAuthParts): Routes {
  const routes = createRoutes()
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
