/** The callback of a provider: its code becomes a token, for the user that began the consent alone. */
import { createHash, timingSafeEqual } from 'node:crypto'
import { AppError, invalidField } from '../../../core/errors.ts'
import type { OAuthConsent } from '../../../core/oauth/consent.ts'
import type { OAuthProvider } from '../../../core/oauth/provider.ts'
import { missingScopes } from '../../../core/oauth/scopes.ts'
import { isOf, type OAuthToken } from '../../../core/oauth/token.ts'
import type { Principal } from '../../../core/people/api-key.ts'
import type { OAuthParts } from '../../control-plane-parts.ts'
import { record } from '../../people/audit.ts'
import { type Granted, Refused } from '../providers/authorization-server.ts'
import { requireProviderOf } from '../providers/providers.ts'
import { tell } from '../tokens/events.ts'
import { saveGrant } from '../tokens/grants.ts'
import { hashOf, requireOpen } from './consents.ts'

/**
 * The sender of the callback: a caller with credentials, which names its logged-in end user (`user_id`),
 * or a browser with the cookie of the link.
 */
export type Bearer =
  | { kind: 'caller'; principal: Principal; user_id: string | undefined }
  | { kind: 'browser'; keyOf: (consent_id: string) => string | undefined }

/** The outcome: the person has said yes, or no. */
export type Outcome =
  | { kind: 'completed'; provider: OAuthProvider; token: OAuthToken }
  | { kind: 'refused'; provider: OAuthProvider; consent: OAuthConsent }

/**
 * Throws `not_found` for an unknown state, `forbidden` for a state of another user or provider, `invalid` when a
 * caller does not name the end user, `gone` when it is too late, `conflict` when it was used already, `bad_request`
 * when the provider refuses the code, `unavailable` when it does not answer: then the same callback may come again.
 */
export async function takeCallback(
  parts: OAuthParts,
  callback: { provider_id: string; params: URLSearchParams; bearerOf: () => Promise<Bearer> },
): Promise<Outcome> {
  const { provider_id, params, bearerOf } = callback
  const consent = await findConsent(parts, params.get('state'))
  requireBearer(consent, await bearerOf())
  if (consent.provider_id !== provider_id) {
    throw new AppError('forbidden', 'This answer belongs to another provider.')
  }
  await requireOpen(parts, consent)
  const provider = await requireProviderOf(parts, consent)
  if (params.get('error') === 'access_denied') return refuse(parts, consent, provider)
  if (!params.get('code') && !params.has('error'))
    throw new AppError('bad_request', 'The provider has sent no code.')
  return exchange(parts, consent, { provider, params })
}

/** Throws `not_found`. */
export async function findConsent({ store }: Pick<OAuthParts, 'store'>, state: string | null) {
  const consent = state ? await store.oauth.consents.findByState(hashOf(state)) : undefined
  if (consent) return consent
  throw new AppError('not_found', 'This consent was not begun here, or has been begun again since.')
}

function requireBearer(consent: OAuthConsent, bearer: Bearer): void {
  if (bearer.kind === 'caller') {
    requireCaller(consent, bearer)
  } else if (!isHeldBy(consent, bearer)) {
    const how =
      'This browser did not open the link. Open it in the browser that you use to the end.'
    throw new AppError('forbidden', how)
  }
}

/**
 * One key serves all end users of an application, so it does not prove which of them has come back.
 * Without this check, a user could have another user's answer handed in for their own consent.
 */
function requireCaller(
  consent: OAuthConsent,
  { principal, user_id }: Extract<Bearer, { kind: 'caller' }>,
): void {
  const notTheirs = new AppError('forbidden', 'Only the user who began this can end it.')
  if (!isOf(consent, principal)) throw notTheirs
  const expected = consent.end_user_id || consent.user_id
  if ((user_id ?? principal.user_id) === expected) return
  if (user_id !== undefined) throw notTheirs
  const how =
    'Send it with POST: the user who is logged in at the page that the person came back to.'
  throw invalidField(['body', 'user_id'], how, 'missing')
}

function isHeldBy(
  { id, secrets }: OAuthConsent,
  { keyOf }: Extract<Bearer, { kind: 'browser' }>,
): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(keyOf(id) ?? ''), digest(secrets.browser_key))
}

async function refuse(
  parts: OAuthParts,
  consent: OAuthConsent,
  provider: OAuthProvider,
): Promise<Outcome> {
  if (consent.status === 'refused') return { kind: 'refused', provider, consent }
  await parts.store.transaction(async (store) => {
    const problem = 'The person has said no.'
    const isSettled = await store.oauth.consents.settle(consent.id, { status: 'refused', problem })
    if (!isSettled) throw takenAlready()
    const event = { event_type: 'consent_refused', source: 'consent', reason: problem } as const
    await tell(store, parts.clock, consent, { ...event, agent_id: consent.agent_id })
  })
  parts.vault.wakes.wake(consent.id)
  return { kind: 'refused', provider, consent }
}

async function exchange(
  parts: OAuthParts,
  consent: OAuthConsent,
  { provider, params }: { provider: OAuthProvider; params: URLSearchParams },
): Promise<Outcome> {
  const { consents } = parts.store.oauth
  const now = parts.clock.now()
  if (!(await consents.claim(consent.id, { now, forMs: parts.vault.claimMs }))) {
    throw takenAlready()
  }
  try {
    const granted = await parts.vault.servers.exchange(provider, consent, knownOf(provider, params))
    const token = await keep(parts, consent, { provider, granted })
    return { kind: 'completed', provider, token }
  } catch (error) {
    await giveUp(parts, consent, error)
    throw error
  } finally {
    parts.vault.wakes.wake(consent.id)
  }
}

const COMPLETED = { status: 'completed' } as const

function takenAlready(): AppError {
  return new AppError('conflict', 'This answer was taken already, or is being taken now.')
}

/** Keeps `iss` only if the provider's issuer is known, since only then it can be checked (RFC 9207). */
function knownOf({ issuer }: OAuthProvider, params: URLSearchParams): URLSearchParams {
  const known = new URLSearchParams(params)
  if (issuer === null) known.delete('iss')
  return known
}

/**
 * Stores the grant. Throws `bad_request` if it lacks requested scopes: it is stored, but the consent has failed,
 * and the person may be asked again.
 */
async function keep(
  parts: OAuthParts,
  consent: OAuthConsent,
  { provider, granted }: { provider: OAuthProvider; granted: Granted },
): Promise<OAuthToken> {
  const { scopes: asked_scopes } = consent
  const missing = missingScopes(
    { scopes: granted.scopes ?? asked_scopes, asked_scopes },
    asked_scopes,
  )
  const what = missing.join(', ')
  const problem =
    what && `You did not give all that was asked for: ${what} of ${provider.name} is missing.`
  const token = await complete(parts, consent, { granted, problem }).catch(async (error) => {
    await giveBack(parts, provider, { granted, error })
    throw error
  })
  if (problem) throw new AppError('bad_request', problem)
  return token
}

/** Revokes the grant at its provider: its consent was removed or settled meanwhile, so it cannot be stored. */
async function giveBack(
  { vault, log }: OAuthParts,
  provider: OAuthProvider,
  { granted, error }: { granted: Granted; error: unknown },
): Promise<void> {
  if (!(error instanceof AppError) || error.code !== 'conflict') return
  await vault.servers.revoke(provider, granted).catch(({ message: reason }: Error) => {
    log.warn({ reason }, 'an unused grant could not be revoked')
  })
}

async function complete(
  parts: OAuthParts,
  consent: OAuthConsent,
  { granted, problem }: { granted: Granted; problem: string },
): Promise<OAuthToken> {
  return parts.store.transaction(async (store) => {
    const token = await saveGrant(store, parts.clock, consent, granted)
    const end = problem ? ({ status: 'failed', problem } as const) : COMPLETED
    if (!(await store.oauth.consents.settle(consent.id, { ...end, token_id: token.id }))) {
      throw new AppError('conflict', 'This answer was taken by another meanwhile.')
    }
    if (problem) {
      const event = { event_type: 'consent_failed', source: 'consent', reason: problem } as const
      await tell(store, parts.clock, consent, { ...event, agent_id: consent.agent_id })
    }
    const { workspace_id, user_id, actor, provider_id, end_user_id, agent_id } = consent
    await record(
      store,
      parts.clock,
      { ...actor, user_id, workspace_id },
      {
        action: 'oauth_consent.complete',
        target_id: token.id,
        target_name: provider_id,
        detail: { consent_id: hashOf(consent.id), scopes: token.scopes, end_user_id, agent_id },
      },
    )
    return token
  })
}

/** If the provider is down, the same code may come again; if it refuses, the consent has failed. */
async function giveUp(parts: OAuthParts, consent: OAuthConsent, error: unknown) {
  const code = error instanceof AppError ? error.code : 'internal'
  if (code === 'unavailable') {
    await parts.store.oauth.consents.settle(consent.id, { status: 'pending' })
    return
  }
  if (!(error instanceof Refused) && code !== 'forbidden') return
  const problem = (error as AppError).message
  await parts.store.transaction(async (store) => {
    if (!(await store.oauth.consents.settle(consent.id, { status: 'failed', problem }))) return
    const event = { event_type: 'consent_failed', source: 'consent', reason: problem } as const
    await tell(store, parts.clock, consent, { ...event, agent_id: consent.agent_id })
  })
}
