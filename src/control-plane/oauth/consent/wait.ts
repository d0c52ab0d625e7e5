/** Waiting for a person's consent. */
import type { OAuthConsent } from '../../../core/oauth/consent.ts'
import { missingScopes } from '../../../core/oauth/scopes.ts'
import type { Principal } from '../../../core/people/api-key.ts'
import type { OAuthParts } from '../parts.ts'
import { requireProviderOf } from '../providers/providers.ts'
import { isOf } from '../tokens/owners.ts'
import { noteRead } from './authenticate.ts'
import type { WaitAnswer } from './consent-schemas.ts'

/** How often to look, in ms: the person may come back to another server, which cannot wake this one. */
const LOOK_EVERY_MS = 1_000

/**
 * Settles when the consent has ended or `timeoutMs` are over. `not_found` also means refused, failed, too
 * old, or of another user. With 0 ms it only looks. Throws `too_many_requests` when the caller has too many
 * waits at once.
 */
export function waitForConsent(
  parts: OAuthParts,
  principal: Principal,
  wait: Wait,
): Promise<WaitAnswer> {
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
