/** `/v2/auth/authenticate`, `/v2/auth/wait`, and the callback of an application's own page. */

import type { OAuthConsent } from '../../../core/oauth/consent.ts'
import { missingScopes } from '../../../core/oauth/scopes.ts'
import { isOf } from '../../../core/oauth/token.ts'
import type { Principal } from '../../../core/people/api-key.ts'
import type { OAuthParts } from '../../control-plane-parts.ts'
import {
  body,
  createRoutes,
  json,
  operationsForAnyKey,
  type Routes,
} from '../../operations/route.ts'
import { ProviderPathSchema } from '../providers/provider-schemas.ts'
import { requireProviderOf } from '../providers/providers.ts'
import { authenticate, noteRead } from './authenticate.ts'
import { takeCallback } from './callback.ts'
import {
  AuthenticateAnswerSchema,
  AuthenticateRequestSchema,
  AuthPathSchema,
  FinalizedSchema,
  FinalizeRequestSchema,
  type WaitAnswer,
  WaitAnswerSchema,
  WaitQuerySchema,
} from './consent-schemas.ts'

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

// Waiting for a person's consent.

/** How often to look, in ms: the person may come back to another server, which cannot wake this one. */
const LOOK_EVERY_MS = 1_000

/**
 * Settles when the consent has ended or `timeoutMs` are over. `not_found` also means refused, failed, too
 * old, or of another user. With 0 ms it only looks. Throws `too_many_requests` when the caller has too many
 * waits at once.
 */
function waitForConsent(parts: OAuthParts, principal: Principal, wait: Wait): Promise<WaitAnswer> {
  const work = () => look(parts, principal, wait)
  return wait.timeoutMs === 0 ? work() : parts.vault.wakes.waitingFor(principal, work)
}

interface Wait {
  auth_id: string
  timeoutMs: number
  signal: AbortSignal
}

async function look(
  parts: OAuthParts,
  principal: Principal,
  { auth_id, timeoutMs, signal }: Wait,
): Promise<WaitAnswer> {
  const until = parts.clock.now() + timeoutMs
  for (;;) {
    const consent = await parts.store.oauth.consents.get(auth_id)
    if (!consent || !isOf(consent, principal)) return { status: 'not_found' }
    if (consent.status === 'completed') return completed(parts, principal, consent)
    if (!isOpen(parts, consent)) return ended(parts, consent)
    const leftMs = until - parts.clock.now()
    if (timeoutMs === 0) return { status: 'pending' }
    if (leftMs <= 0 || signal.aborted) return { status: 'timeout' }
    await parts.vault.wakes.wait(auth_id, Math.min(leftMs, LOOK_EVERY_MS), signal)
  }
}

/** Says why the consent failed, and which scopes the person did not give. */
async function ended({ store }: OAuthParts, consent: OAuthConsent): Promise<WaitAnswer> {
  const { status, problem, token_id, scopes } = consent
  if (status !== 'failed' || problem === null) return { status: 'not_found' }
  const token = await store.oauth.tokens.get(token_id ?? '')
  const missing_scopes = token ? missingScopes(token, scopes) : []
  const isLess = missing_scopes.length > 0
  return { status: 'not_found', problem, ...(isLess && { missing_scopes }) }
}

async function completed(
  parts: OAuthParts,
  principal: Principal,
  consent: OAuthConsent,
): Promise<WaitAnswer> {
  const token = await parts.store.oauth.tokens.get(consent.token_id ?? '')
  if (!token) return { status: 'not_found' }
  const provider = await requireProviderOf(parts, consent)
  const fresh = await parts.vault.refreshes.fresh(token, provider)
  if (fresh.status === 'expired') return { status: 'not_found' }
  await noteRead(parts, principal, fresh, consent.agent_id)
  return { status: 'completed', token: fresh.access_token }
}

function isOpen({ clock }: OAuthParts, { status, expires_at }: OAuthConsent): boolean {
  return (status === 'pending' || status === 'exchanging') && expires_at > clock.now()
}
