/** Asks for a person's token: returns the token, or a link where the person can give consent. */
import { AppError, invalidField } from '../../../core/errors.ts'
import type { OAuthProvider } from '../../../core/oauth/provider.ts'
import { MAX_SCOPES_CHARS, missingScopes } from '../../../core/oauth/scopes.ts'
import { DEPLOYMENT_USER, type OAuthToken, type TokenOwner } from '../../../core/oauth/token.ts'
import type { Principal } from '../../../core/people/api-key.ts'
import type { OAuthParts } from '../../control-plane-parts.ts'
import { record } from '../../people/audit.ts'
import { requireProvider } from '../providers/providers.ts'
import type { AuthenticateAnswer, AuthenticateRequest } from './consent-schemas.ts'
import { beginConsent, linkOf } from './consents.ts'

/**
 * `completed` with a token that has all requested scopes; `pending` with a link (and with the missing scopes, if a
 * token lacks some); `token_expired` with a link when the provider has ended the token; `connection_required` when
 * the person has several accounts and none of them is chosen. Throws `not_found` for an unknown provider or token,
 * `unavailable` when a token has run out and its provider does not answer.
 */
export async function authenticate(
  parts: OAuthParts,
  principal: Principal,
  request: AuthenticateRequest,
): Promise<AuthenticateAnswer> {
  const provider = await requireProvider(parts, principal.workspace_id, request.provider)
  const owner = ownerOf(principal, request)
  const asking: Asking = { parts, principal, request, provider, owner }
  if (request.force_new) {
    await requireRoom(asking)
    return ask(asking, 'pending')
  }
  const choice = await chooseToken(asking)
  if (choice.kind === 'open') return connectionRequired(asking, choice.accounts)
  if (choice.kind === 'none') return ask(asking, 'pending')
  const missing_scopes = missingScopes(choice.token, request.scopes)
  if (missing_scopes.length > 0) {
    const { id: token_id, scopes } = choice.token
    const answer = await ask(asking, 'pending', choice.token)
    return { ...answer, metadata: { token_id, scopes, missing_scopes } }
  }
  const token = await parts.vault.refreshes.fresh(choice.token, provider)
  if (token.status === 'expired') return ask(asking, 'token_expired', token)
  await noteRead(parts, principal, token, request.agent_id ?? null)
  return {
    status: 'completed',
    token: token.access_token,
    user_id: userOf(owner),
    metadata: metadataOf(token),
  }
}

/** How many accounts of one provider an owner may have. */
const MOST_ACCOUNTS = 100

interface Asking {
  parts: OAuthParts
  principal: Principal
  request: AuthenticateRequest
  provider: OAuthProvider
  owner: TokenOwner
}

/** The caller, or the end user that the request names. Throws `invalid` when it must name one. */
function ownerOf(
  { workspace_id, user_id }: Principal,
  request: Pick<AuthenticateRequest, 'user_id' | 'ls_user_id'>,
): TokenOwner {
  const named = request.user_id ?? request.ls_user_id
  if (named === '' || (named == null && user_id.startsWith(DEPLOYMENT_USER))) {
    // Without it, all people that the agents act for would share one token.
    throw invalidField(['body', 'user_id'], 'Name the user whose token it is.', 'missing')
  }
  return { workspace_id, user_id, end_user_id: named == null || named === user_id ? '' : named }
}

function userOf({ user_id, end_user_id }: TokenOwner): string {
  return end_user_id || user_id
}

type Choice =
  | { kind: 'none' }
  | { kind: 'token'; token: OAuthToken }
  | { kind: 'open'; accounts: OAuthToken[] }

/** The token that the request names, else the one the agent is connected to, else the default account. */
async function chooseToken(asking: Asking): Promise<Choice> {
  const { parts, request, owner, provider } = asking
  const accounts = await parts.store.oauth.tokens.listOf(owner, provider.id)
  if (request.token_id) {
    const token = accounts.find(({ id }) => id === request.token_id)
    if (token) return { kind: 'token', token }
    throw new AppError('not_found', `OAuth token ID ${request.token_id} not found.`)
  }
  if (accounts.length === 0) return { kind: 'none' }
  const connected = request.agent_id ? await connectedOf(asking, accounts, request.agent_id) : []
  const candidates = connected.length > 0 ? connected : accounts
  const token = candidates.length === 1 ? candidates[0] : candidates.find((one) => one.is_default)
  return token ? { kind: 'token', token } : { kind: 'open', accounts: candidates }
}

async function connectedOf(
  { parts: { store }, owner, provider }: Asking,
  accounts: OAuthToken[],
  agent_id: string,
): Promise<OAuthToken[]> {
  const to = { provider_key: provider.id, agent_id }
  const ids = await store.oauth.connections.listTokenIds(owner, to)
  return accounts.filter(({ id }) => ids.includes(id))
}

async function requireRoom({ parts, owner, provider }: Asking): Promise<void> {
  const accounts = await parts.store.oauth.tokens.listOf(owner, provider.id)
  if (accounts.length < MOST_ACCOUNTS) return
  const rule = `A user has ${MOST_ACCOUNTS} accounts of ${provider.name} at most`
  const how = 'Delete one with DELETE /v2/auth/tokens/{token_id} first.'
  throw new AppError('conflict', `${rule}. ${how}`)
}

/** `renewed`: the token to renew; its present scopes are requested again. */
async function ask(
  { parts, principal, request, provider, owner }: Asking,
  status: 'pending' | 'token_expired',
  renewed?: OAuthToken,
): Promise<AuthenticateAnswer> {
  const scopes = [...new Set([...(renewed?.asked_scopes ?? []), ...request.scopes])]
  checkLength(scopes)
  const consent = await beginConsent(parts, principal, {
    owner,
    provider,
    scopes,
    token_id: renewed?.id ?? null,
    agent_id: request.agent_id ?? null,
    is_default: request.is_default,
    is_further: request.force_new,
    redirect_uri: request.redirect_uri ?? undefined,
  })
  return { status, url: linkOf(parts, consent), auth_id: consent.id, user_id: userOf(owner) }
}

/** Scopes are part of the URL that the person opens. Throws `invalid`. */
function checkLength(scopes: string[]): void {
  if (scopes.join(' ').length <= MAX_SCOPES_CHARS) return
  const why = `Expected scopes of ${MAX_SCOPES_CHARS} characters in all, with those given already.`
  throw invalidField(['body', 'scopes'], why, 'too_big')
}

function connectionRequired({ owner }: Asking, accounts: OAuthToken[]): AuthenticateAnswer {
  const told = accounts.map(({ id, provider_account_label }) => ({ id, provider_account_label }))
  return { status: 'connection_required', user_id: userOf(owner), metadata: { accounts: told } }
}

function metadataOf(token: OAuthToken): Record<string, unknown> {
  const { id, scopes, expires_at, provider_account_label, metadata } = token
  return { ...metadata, token_id: id, scopes, expires_at, provider_account_label }
}

/** Records who received a token, each time. */
export async function noteRead(
  { store, clock }: OAuthParts,
  principal: Principal,
  token: OAuthToken,
  agent_id: string | null,
): Promise<void> {
  const { id, provider_id, end_user_id } = token
  await record(store, clock, principal, {
    action: 'oauth_token.read',
    target_id: id,
    target_name: provider_id,
    detail: { end_user_id, agent_id },
  })
}
