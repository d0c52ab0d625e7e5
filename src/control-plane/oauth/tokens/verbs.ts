/** What can be done with OAuth tokens that are there. */
import { timestamp } from '../../../core/clock.ts'
import { AppError } from '../../../core/errors.ts'
import type { OAuthProvider } from '../../../core/oauth/provider.ts'
import type { OAuthToken } from '../../../core/oauth/token.ts'
import type { Principal } from '../../../core/people/api-key.ts'
import { record } from '../../people/audit.ts'
import type { OAuthParts } from '../parts.ts'
import { revokeTokens } from '../providers/revocation.ts'
import { findProvider, requireProviderOf } from '../providers/verbs.ts'
import { tell } from './events.ts'
import type { TokenSummary, TokenUpdateRequest } from './schemas.ts'

const SLACK = 'slack'

/** The caller's own and their end users'. */
export async function listOAuthTokens(
  { store }: OAuthParts,
  { workspace_id, user_id }: Principal,
  provider_id: string | undefined,
): Promise<TokenSummary[]> {
  const tokens = await store.oauth.tokens.listOfUser({ workspace_id, user_id }, provider_id)
  return tokens.map(summary)
}

/** Whether the caller, or an end user of theirs, has one that can be used. */
export async function hasOAuthToken(
  parts: OAuthParts,
  { workspace_id, user_id }: Principal,
  provider_id: string,
): Promise<boolean> {
  const provider = await findProvider(parts, workspace_id, provider_id)
  const { tokens } = parts.store.oauth
  const all = await tokens.listOfUser({ workspace_id, user_id }, provider_id)
  return all.some((one) => one.provider_key === provider?.id && one.status === 'active')
}

/** Renames it, or makes it the default account. Throws `not_found` for another's. */
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
    return summary({ ...token, ...patch })
  })
}

/** Gives it back to the provider first, where that takes it. Throws `not_found` for another's. */
export async function deleteOAuthToken(
  parts: OAuthParts,
  principal: Principal,
  token_id: string,
): Promise<void> {
  const token = await requireToken(parts, principal, token_id)
  await revokeAndDelete(parts, principal, [token], { target_id: token_id })
}

/**
 * Deletes the caller's own of one provider, across all agents, and those of their end users; gives each
 * back to the provider first, where that takes it. None is no error.
 */
export async function deleteOAuthTokens(
  parts: OAuthParts,
  principal: Principal,
  provider_id: string,
): Promise<{ message: string; provider_id: string }> {
  const { workspace_id, user_id } = principal
  const tokens = await parts.store.oauth.tokens.listOfUser({ workspace_id, user_id }, provider_id)
  const message = await revokeAndDelete(parts, principal, tokens, { target_id: provider_id })
  return { message, provider_id }
}

/** Whether anybody in the workspace has one of Slack's. */
export async function hasSlackToken(
  parts: OAuthParts,
  { workspace_id }: Principal,
): Promise<boolean> {
  return (await slackTokens(parts, workspace_id)).some(({ status }) => status === 'active')
}

/** Everybody's of the workspace. */
export async function deleteSlackTokens(
  parts: OAuthParts,
  principal: Principal,
): Promise<{ message: string }> {
  const tokens = await slackTokens(parts, principal.workspace_id)
  return { message: await revokeAndDelete(parts, principal, tokens, { target_id: SLACK }) }
}

/** One of the caller's or of their end users'. Throws `not_found`. */
export async function requireToken(
  { store }: Pick<OAuthParts, 'store'>,
  { workspace_id, user_id }: Principal,
  token_id: string,
): Promise<OAuthToken> {
  const tokens = await store.oauth.tokens.listOfUser({ workspace_id, user_id })
  const token = tokens.find(({ id }) => id === token_id)
  if (token) return token
  throw new AppError('not_found', `OAuth token ID ${token_id} not found.`)
}

async function slackTokens(
  { store, vault }: OAuthParts,
  workspace_id: string,
): Promise<OAuthToken[]> {
  const own = await store.oauth.providers.list(workspace_id)
  const all = [...own, ...vault.platformProviders.values()]
  const isSlack = (one: OAuthProvider) => one.provider_type === SLACK || one.provider_id === SLACK
  const lists = all
    .filter(isSlack)
    .map(({ id }) => store.oauth.tokens.listOfProvider(workspace_id, id))
  return (await Promise.all(lists)).flat()
}

/** Answers what was done, as a sentence. A provider that is down keeps nobody from deleting. */
async function revokeAndDelete(
  parts: OAuthParts,
  principal: Principal,
  tokens: OAuthToken[],
  { target_id }: { target_id: string },
): Promise<string> {
  const revoked = await revokeTokens(parts, tokens, (token) => requireProviderOf(parts, token))
  const count = await parts.store.transaction(async (store) => {
    let deleted = 0
    for (const token of tokens) {
      if (!(await store.oauth.tokens.delete(token.id))) continue
      deleted++
      await tell(store, parts.clock, token, { event_type: 'token_deleted', source: 'request' })
    }
    const detail = { count: deleted, revoked }
    const deed = { action: 'oauth_token.delete', target_id } as const
    await record(store, parts.clock, principal, { ...deed, detail })
    return deleted
  })
  return `Deleted ${count} token${count === 1 ? '' : 's'}.`
}

function summary(token: OAuthToken): TokenSummary {
  const { id, provider_id, provider_account_label, scopes, expires_at, is_default } = token
  const { status, created_at, updated_at, user_id, end_user_id } = token
  return {
    id,
    provider_id,
    provider_account_label,
    scopes,
    expires_at,
    is_default,
    user_id: end_user_id || user_id,
    status,
    created_at,
    updated_at,
  }
}
