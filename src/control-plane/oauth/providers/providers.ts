/** Operations on OAuth providers. */

import { randomUUID } from 'node:crypto'
import { timestamp } from '../../../core/clock.ts'
import type { ControlPlaneStore } from '../../../core/deployment/control-plane-store.ts'
import { AppError, invalidField } from '../../../core/errors.ts'
import type { Outgoing } from '../../../core/network/outgoing.ts'
import { isPublicClient, type OAuthProvider } from '../../../core/oauth/provider.ts'
import type { OAuthToken } from '../../../core/oauth/token.ts'
import type { Principal } from '../../../core/people/api-key.ts'
import { answerOf } from '../../../http/answer.ts'
import type { OAuthParts } from '../../control-plane-parts.ts'
import { record } from '../../people/audit.ts'
import { checkSecret, endGrants, isMoved } from './moved.ts'
import {
  type ProviderAnswer,
  type ProviderCreateRequest,
  ProviderSchema,
  type ProviderUpdateRequest,
} from './provider-schemas.ts'
import { removeTokens } from './removal.ts'

/** The workspace's own, by slug. */
export async function listProviders({ store }: OAuthParts, { workspace_id }: Principal) {
  return (await store.oauth.providers.list(workspace_id)).map(answer)
}

/** The operator's providers, except those that the workspace replaces with its own. */
export async function listPlatformProviders(
  { store, vault }: OAuthParts,
  { workspace_id }: Principal,
): Promise<ProviderAnswer[]> {
  const own = await store.oauth.providers.list(workspace_id)
  const isHidden = (slug: string) => own.some(({ provider_id }) => provider_id === slug)
  return [...vault.platformProviders.values()]
    .filter(({ provider_id }) => !isHidden(provider_id))
    .map(answer)
}

/** Throws `conflict` when the slug is taken, `invalid` for a forbidden URL. */
export async function createProvider(
  parts: OAuthParts,
  principal: Principal,
  request: ProviderCreateRequest,
): Promise<ProviderAnswer> {
  checkUrls(parts.vault.outgoing, request)
  const { workspace_id } = principal
  const own = { id: randomUUID(), workspace_id, now: timestamp(parts.clock) }
  return insertProvider(parts, principal, newProvider(request, own))
}

export async function insertProvider(
  parts: OAuthParts,
  principal: Principal,
  provider: OAuthProvider,
): Promise<ProviderAnswer> {
  checkRedirects(provider)
  checkChallenge(provider)
  await parts.store.transaction(async (store) => {
    if (!(await store.oauth.providers.insert(provider))) throw alreadyExists(provider)
    await recordOn(parts, store, principal, 'oauth_provider.create', provider)
  })
  return answer(provider)
}

/** The workspace's own, or else the operator's. Throws `not_found`. */
export async function getProvider(parts: OAuthParts, principal: Principal, provider_id: string) {
  return answer(await requireProvider(parts, principal.workspace_id, provider_id))
}

/**
 * Throws as `getProvider` and `createProvider`, `forbidden` for a provider of the operator. With another
 * server or another client it counts as a new provider: earlier grants end.
 */
export async function updateProvider(
  parts: OAuthParts,
  principal: Principal,
  provider_id: string,
  request: ProviderUpdateRequest,
): Promise<ProviderAnswer> {
  checkUrls(parts.vault.outgoing, request)
  const given = Object.entries(request).filter(([, value]) => value !== null && value !== undefined)
  return parts.store.transaction(async (store) => {
    const provider = await requireOwn({ ...parts, store }, principal, provider_id)
    const patch = {
      ...Object.fromEntries(given),
      ...challengeOf(provider, request),
      updated_at: timestamp(parts.clock),
    }
    const changed = { ...provider, ...patch }
    checkRedirects(changed)
    checkChallenge(changed)
    if (isMoved(provider, changed)) {
      checkSecret(provider, request)
      await endGrants(parts, store, provider)
    }
    await store.oauth.providers.update(provider.id, patch)
    // The change may have fixed a failure: refreshes need not wait for the next try.
    await store.oauth.tokens.forgetFailures(provider.id)
    const detail = { fields: given.map(([name]) => name) }
    const deed = { action: 'oauth_provider.update', target_id: provider.id } as const
    await record(store, parts.clock, principal, { ...deed, target_name: provider_id, detail })
    return answer(changed)
  })
}

/** Deletes the provider and its tokens, which are revoked first. Throws as `updateProvider`. */
export async function deleteProvider(parts: OAuthParts, principal: Principal, provider_id: string) {
  const provider = await requireOwn(parts, principal, provider_id)
  await parts.store.oauth.consents.end(provider.id)
  await removeTokens(parts, {
    next: ({ oauth }, limit) =>
      oauth.tokens.listOfProvider(provider.workspace_id, provider.id, limit),
    providerOf: async () => provider,
    reason: 'Its provider was deleted.',
    source: 'request',
  })
  return parts.store.transaction(async (store) => {
    await store.oauth.providers.delete(provider.id)
    await recordOn(parts, store, principal, 'oauth_provider.delete', provider)
    return { message: 'Provider deleted' }
  })
}

/** By its slug, as the workspace sees it. Throws `not_found`. */
export async function requireProvider(
  parts: Pick<OAuthParts, 'store' | 'vault'>,
  workspace_id: string,
  provider_id: string,
): Promise<OAuthProvider> {
  const provider = await findProvider(parts, workspace_id, provider_id)
  if (provider) return provider
  throw new AppError('not_found', `OAuth provider '${provider_id}' not found.`)
}

export async function findProvider(
  { store, vault }: Pick<OAuthParts, 'store' | 'vault'>,
  workspace_id: string,
  provider_id: string,
): Promise<OAuthProvider | undefined> {
  const own = await store.oauth.providers.get(workspace_id, provider_id)
  return own ?? vault.platformProviders.get(provider_id)
}

/** The provider of a token or a consent. Throws `gone` if it was deleted. */
export async function requireProviderOf(
  { store, vault }: Pick<OAuthParts, 'store' | 'vault'>,
  { provider_key, provider_id }: Pick<OAuthToken, 'provider_key' | 'provider_id'>,
): Promise<OAuthProvider> {
  const platform = vault.platformProviders.get(provider_id)
  const provider =
    platform?.id === provider_key ? platform : await store.oauth.providers.find(provider_key)
  if (provider) return provider
  throw new AppError('gone', `The provider '${provider_id}' is not there any more.`)
}

async function requireOwn(
  parts: Pick<OAuthParts, 'store' | 'vault'>,
  { workspace_id }: Principal,
  provider_id: string,
): Promise<OAuthProvider> {
  const provider = await requireProvider(parts, workspace_id, provider_id)
  if (parts.vault.platformProviders.get(provider_id) !== provider) return provider
  throw new AppError(
    'forbidden',
    `The provider '${provider_id}' is the operator's, for every workspace. Create one of your own.`,
  )
}

/** A provider made from a request, with defaults for absent members. */
export function newProvider(
  request: ProviderCreateRequest,
  { id, workspace_id, now }: { id: string; workspace_id: string; now: string },
): OAuthProvider {
  return {
    ...request,
    id,
    workspace_id,
    client_secret: request.client_secret ?? null,
    uses_pkce: request.uses_pkce ?? false,
    code_challenge_method: request.uses_pkce === false ? null : request.code_challenge_method,
    revocation_url: request.revocation_url ?? null,
    issuer: null,
    is_issuer_sent: false,
    provider_type: request.provider_type ?? null,
    mcp_server_url: null,
    is_dynamic_client: false,
    authorization_params: request.authorization_params ?? {},
    allowed_redirect_uris: request.allowed_redirect_uris ?? [],
    default_redirect_uri: request.default_redirect_uri ?? null,
    created_at: now,
    updated_at: now,
  }
}

const ASKED = ['token_url', 'revocation_url', 'auth_url'] as const

/** Throws `invalid` for the first URL that Runyard may not call or people may not be sent to. */
export function checkUrls(outgoing: Outgoing, request: ProviderUpdateRequest): void {
  for (const name of ASKED) {
    const text = request[name]
    const problem = text ? outgoing.problemOf(new URL(text)) : undefined
    if (problem) throw invalidField(['body', name], problem)
  }
  for (const text of [...(request.allowed_redirect_uris ?? []), request.default_redirect_uri]) {
    if (text && !isPage(new URL(text))) {
      throw invalidField(['body', 'allowed_redirect_uris'], `${text} is no page of the web.`)
    }
  }
}

/** Plain HTTP only for a page on the person's own machine. */
function isPage({ protocol, hostname, hash }: URL): boolean {
  const isLocal = /^(localhost|127\.0\.0\.1|\[::1\])$/.test(hostname)
  return (protocol === 'https:' || (protocol === 'http:' && isLocal)) && hash === ''
}

/** Throws `invalid` for a default that is not in the allowed list. */
function checkRedirects({ allowed_redirect_uris, default_redirect_uri }: OAuthProvider): void {
  if (default_redirect_uri === null || allowed_redirect_uris.includes(default_redirect_uri)) return
  throw invalidField(['body', 'default_redirect_uri'], 'Expected one of allowed_redirect_uris.')
}

/** How `uses_pkce` changes the challenge: `false` removes it, `true` restores it. */
function challengeOf(
  before: OAuthProvider,
  { uses_pkce, code_challenge_method }: ProviderUpdateRequest,
): Partial<OAuthProvider> {
  if (uses_pkce === false) return { code_challenge_method: null }
  if (uses_pkce !== true) return {}
  const method = code_challenge_method ?? before.code_challenge_method ?? 'S256'
  return { code_challenge_method: method }
}

/** Throws `invalid` for a public client whose verifier would be visible in the browser's address. */
function checkChallenge(provider: OAuthProvider): void {
  if (!isPublicClient(provider) || provider.code_challenge_method !== 'plain') return
  throw invalidField(['body', 'code_challenge_method'], 'A public client needs S256.')
}

export function alreadyExists({ provider_id }: OAuthProvider): AppError {
  return new AppError('conflict', `OAuth provider '${provider_id}' already exists.`)
}

async function recordOn(
  parts: OAuthParts,
  store: ControlPlaneStore,
  principal: Principal,
  action: 'oauth_provider.create' | 'oauth_provider.delete',
  { id, provider_id }: OAuthProvider,
): Promise<void> {
  const deed = { action, target_id: id, target_name: provider_id }
  await record(store, parts.clock, principal, deed)
}

function answer(provider: OAuthProvider): ProviderAnswer {
  return answerOf(ProviderSchema, provider, { organization_id: provider.workspace_id })
}
