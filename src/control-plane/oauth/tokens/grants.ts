/** Stores a grant as a token: a new one, or in place of the token that it renews. */
import { randomUUID } from 'node:crypto'
import { type Clock, timestamp } from '../../../core/clock.ts'
import type { ControlPlaneStore } from '../../../core/deployment/control-plane-store.ts'
import type { OAuthConsent } from '../../../core/oauth/consent.ts'
import { missingScopes } from '../../../core/oauth/scopes.ts'
import type { OAuthToken } from '../../../core/oauth/token.ts'
import type { Granted } from '../providers/authorization-server.ts'
import { tell } from './events.ts'

/** Also writes its event, its place among the owner's accounts, and the agent's connection to it. */
export async function saveGrant(
  store: ControlPlaneStore,
  clock: Clock,
  consent: OAuthConsent,
  granted: Granted,
): Promise<OAuthToken> {
  const { tokens, connections } = store.oauth
  const existing = await tokens.listOf(consent, consent.provider_key)
  const renewed = renewedBy(existing, consent, granted)
  const made = tokenOf({ consent, granted, renewed, existing, now: timestamp(clock) })
  const wider = renewed && widerThan(made, consent, renewed, clock.now())
  const { is_default } = made
  const token = wider ? { ...wider, is_default } : made
  if (wider) await tokens.update(wider.id, { is_default })
  else if (renewed) await tokens.update(token.id, token)
  else await tokens.insert(token)
  if (token.is_default) await tokens.clearDefault(token)
  if (consent.agent_id !== null) {
    const { workspace_id, agent_id, user_id: created_by } = consent
    const created_at = timestamp(clock)
    const made = { id: randomUUID(), workspace_id, agent_id, created_by, created_at }
    await connections.put({ ...made, oauth_token_id: token.id })
  }
  await tell(store, clock, token, {
    event_type: renewed ? 'token_updated' : 'token_created',
    source: 'consent',
    agent_id: consent.agent_id,
  })
  return renewed && !wider ? { ...token, version: renewed.version + 1 } : token
}

/**
 * The account's present token, if it has all scopes of the new one and more: then a person who was asked for a
 * further account has chosen this one again. The new token is left to run out: revoking one token of an account
 * may revoke all.
 */
function widerThan(
  made: OAuthToken,
  { token_id }: OAuthConsent,
  present: OAuthToken,
  now: number,
): OAuthToken | undefined {
  const { expires_at } = present
  const isUsable =
    expires_at === null || Date.parse(expires_at) > now || present.refresh_token !== null
  if (present.id === token_id || present.status !== 'active' || !isUsable) return undefined
  const isWider = missingScopes(made, present.scopes).length > 0
  return isWider && missingScopes(present, made.scopes).length === 0 ? present : undefined
}

/** The token of the same account; if the provider names no account, the token that the consent asked about. */
function renewedBy(
  existing: readonly OAuthToken[],
  { token_id }: OAuthConsent,
  { account_id }: Granted,
): OAuthToken | undefined {
  const sameAccount = existing.find((one) => account_id !== null && one.account_id === account_id)
  if (sameAccount) return sameAccount
  const asked = existing.find(({ id }) => id === token_id)
  const isSame = account_id === null || asked?.account_id === null
  return isSame ? asked : undefined
}

function tokenOf(made: {
  consent: OAuthConsent
  granted: Granted
  renewed: OAuthToken | undefined
  existing: readonly OAuthToken[]
  now: string
}): OAuthToken {
  const { consent, granted, renewed, existing, now } = made
  const { workspace_id, user_id, end_user_id, provider_key, provider_id } = consent
  const { scopes: asked_scopes } = consent
  const { scopes = asked_scopes, refresh_token, ...grant } = granted
  const others = existing.filter(({ id }) => id !== renewed?.id)
  const isOnlyDefault = !others.some(({ is_default }) => is_default)
  return {
    id: renewed?.id ?? randomUUID(),
    workspace_id,
    user_id,
    end_user_id,
    provider_key,
    provider_id,
    ...grant,
    // Some providers send it with the first consent only, and the first one stays valid.
    refresh_token: refresh_token ?? renewed?.refresh_token ?? null,
    provider_account_label: renewed?.provider_account_label ?? granted.provider_account_label,
    scopes,
    asked_scopes,
    status: 'active',
    is_default: consent.is_default || isOnlyDefault,
    version: 1,
    retry_at: null,
    refresh_failures: 0,
    created_at: renewed?.created_at ?? now,
    updated_at: now,
  }
}
