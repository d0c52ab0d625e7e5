/** Operations on stored OAuth tokens. */

import { timestamp } from '../../../core/clock.ts'
import { AppError } from '../../../core/errors.ts'
import type { OAuthProvider } from '../../../core/oauth/provider.ts'
import { isOf, type OAuthToken } from '../../../core/oauth/token.ts'
import type { Principal } from '../../../core/people/api-key.ts'
import { answerOf } from '../../../http/answer.ts'
import type { OAuthParts } from '../../control-plane-parts.ts'
import { record } from '../../people/audit.ts'
import { findProvider, requireProviderOf } from '../providers/providers.ts'
import { type Removal, removeTokens } from '../providers/removal.ts'
import { removeGrants } from './holders.ts'
import { type TokenSummary, TokenSummarySchema, type TokenUpdateRequest } from './token-schemas.ts'

const SLACK = 'slack'

/** The caller's own and their end users'. */
export async function listOAuthTokens(
  { store }: OAuthParts,
  { workspace_id, user_id }: Principal,
  query: { provider_id?: string | undefined; limit: number; offset: number },
): Promise<TokenSummary[]> {
  const tokens = await store.oauth.tokens.listOfUser({ workspace_id, user_id, ...query })
  return tokens.map(summary)
}

/** Whether the caller, or one of its end users, has a usable token. */
export async function hasOAuthToken(
  parts: OAuthParts,
  { workspace_id, user_id }: Principal,
  provider_id: string,
): Promise<boolean> {
  const provider = await findProvider(parts, workspace_id, provider_id)
  if (!provider) return false
  return parts.store.oauth.tokens.hasActive({ workspace_id, user_id }, provider.id)
}

/** Renames it, or makes it the default account. Throws `not_found` for a token of another owner. */
export async function updateOAuthToken(
  parts: OAuthParts,
  principal: Principal,
  token_id: string,
  request: TokenUpdateRequest,
): Promise<TokenSummary> {
  const { provider_account_label: label, is_default } = request
  return parts.store.transaction(async (store) => {
    const token = await requireToken({ store }, principal, token_id)
    const patch = {
      ...(label != null && { provider_account_label: label }),
      ...(is_default != null && { is_default }),
      updated_at: timestamp(parts.clock),
    }
    await store.oauth.tokens.update(token_id, patch)
    if (is_default) await store.oauth.tokens.clearDefault(token)
    const deed = { action: 'oauth_token.update', target_id: token_id } as const
    await record(store, parts.clock, principal, { ...deed, target_name: token.provider_id })
    return { ...summary(token), ...patch }
  })
}

/** Revokes it at the provider first, if supported. Throws `not_found` for a token of another owner. */
export async function deleteOAuthToken(parts: OAuthParts, principal: Principal, token_id: string) {
  await requireToken(parts, principal, token_id)
  await revokeAndDelete(parts, principal, {
    target_id: token_id,
    next: async (store) =>
      [await store.oauth.tokens.get(token_id)].filter((one) => one !== undefined),
  })
}

/**
 * Deletes the caller's tokens of one provider, across all agents, and those of its end users. Revokes each
 * at the provider first, if supported. Without tokens it does nothing.
 */
export async function deleteOAuthTokens(
  parts: OAuthParts,
  principal: Principal,
  provider_id: string,
): Promise<{ message: string; provider_id: string }> {
  const { workspace_id, user_id } = principal
  const message = await revokeAndDelete(parts, principal, {
    target_id: provider_id,
    next: ({ oauth }, limit) =>
      oauth.tokens.listOfUser({ workspace_id, user_id, provider_id, limit }),
  })
  return { message, provider_id }
}

/** Whether the workspace has a token of Slack. */
export async function hasSlackToken(parts: OAuthParts, { workspace_id }: Principal) {
  const keys = await slackProviders(parts, workspace_id)
  return parts.store.oauth.tokens.hasActiveOfProviders(workspace_id, keys)
}

/** Deletes all Slack tokens of the workspace. */
export async function deleteSlackTokens(parts: OAuthParts, principal: Principal) {
  const { workspace_id } = principal
  const keys = await slackProviders(parts, workspace_id)
  const next: Removal['next'] = async ({ oauth }, limit) => {
    for (const key of keys) {
      const found = await oauth.tokens.listOfProvider(workspace_id, key, limit)
      if (found.length > 0) return found
    }
    return []
  }
  return { message: await revokeAndDelete(parts, principal, { target_id: SLACK, next }) }
}

/**
 * Deletes all tokens of one person in the workspace: a caller (a key's id, `user:` and the subject of a signed
 * token) or an end user. Also ends the person's open links and signs their browsers out.
 */
export async function deletePersonsTokens(parts: OAuthParts, principal: Principal, person: string) {
  const { workspace_id } = principal
  const holder = { workspace_id, person }
  const reason = 'An admin has removed all tokens of this person.'
  const sessions = await parts.store.sessions.deleteOfUser({ workspace_id, user_id: person })
  const onRemoved = auditOf(parts, principal, person, { sessions })
  const { count } = await removeGrants(parts, holder, { reason, source: 'request', onRemoved })
  return { message: sentenceOf(count) }
}

/** A token of the caller or its end users. Throws `not_found`. */
export async function requireToken(
  { store }: Pick<OAuthParts, 'store'>,
  principal: Principal,
  token_id: string,
): Promise<OAuthToken> {
  const token = await store.oauth.tokens.get(token_id)
  if (token && isOf(token, principal)) return token
  throw new AppError('not_found', `OAuth token ID ${token_id} not found.`)
}

/** The ids of the workspace's Slack providers. */
async function slackProviders({ store, vault }: OAuthParts, workspace_id: string) {
  const own = await store.oauth.providers.list(workspace_id)
  const all = [...own, ...vault.platformProviders.values()]
  const isSlack = (one: OAuthProvider) => one.provider_type === SLACK || one.provider_id === SLACK
  return all.filter(isSlack).map(({ id }) => id)
}

/** Returns the result as a sentence. A provider that is down does not prevent the deletion. */
async function revokeAndDelete(
  parts: OAuthParts,
  principal: Principal,
  { target_id, next }: Pick<Removal, 'next'> & { target_id: string },
): Promise<string> {
  const { count } = await removeTokens(parts, {
    next,
    providerOf: (token) => requireProviderOf(parts, token),
    source: 'request',
    onRemoved: auditOf(parts, principal, target_id),
  })
  return sentenceOf(count)
}

function auditOf(
  { clock }: OAuthParts,
  principal: Principal,
  target_id: string,
  beside: { sessions?: number } = {},
): NonNullable<Removal['onRemoved']> {
  return async (store, { count, revoked }) => {
    const deed = { action: 'oauth_token.delete', target_id } as const
    await record(store, clock, principal, { ...deed, detail: { count, revoked, ...beside } })
  }
}

function sentenceOf(count: number): string {
  return `Deleted ${count} token${count === 1 ? '' : 's'}.`
}

function summary(token: OAuthToken): TokenSummary {
  return answerOf(TokenSummarySchema, token, { user_id: token.end_user_id || token.user_id })
}
