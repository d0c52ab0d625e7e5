/** Consents of people: the link that they open, and where it leads. */
import { createHash, randomUUID } from 'node:crypto'
import { generateRandomCodeVerifier, generateRandomNonce, generateRandomState } from 'oauth4webapi'
import { timestamp } from '../../../core/clock.ts'
import type { ControlPlaneStore } from '../../../core/deployment/control-plane-store.ts'
import { AppError, invalidField } from '../../../core/errors.ts'
import type { ConsentSecrets, OAuthConsent } from '../../../core/oauth/consent.ts'
import type { OAuthProvider } from '../../../core/oauth/provider.ts'
import { DEPLOYMENT_USER, type TokenOwner } from '../../../core/oauth/token.ts'
import type { Principal } from '../../../core/people/api-key.ts'
import type { OAuthParts } from '../../control-plane-parts.ts'
import { record } from '../../people/audit.ts'
import { requireProviderOf } from '../providers/providers.ts'

/** How long a link works, in ms: people may answer an agent hours later. */
const LIFETIME_MS = 24 * 3_600_000
/** Open consents of one owner at most; beyond it, the oldest end. */
const OPEN_OF_OWNER = 20
/** Consents of one owner at most, ended ones included; beyond it, the oldest are deleted. */
const KEPT_OF_OWNER = 100
/** Open consents at most: of a caller, for all of its end users, and of a workspace. */
const OPEN_OF_CALLER = 10_000
const OPEN_OF_WORKSPACE = 50_000

interface Wanted {
  owner: TokenOwner
  provider: OAuthProvider
  scopes: string[]
  token_id: string | null
  agent_id: string | null
  is_default: boolean
  is_further: boolean
  /** A page of the application; `undefined`: as the provider's settings say. */
  redirect_uri: string | undefined
}

/**
 * A new consent, or the open one for the same request. Throws `invalid` for a foreign page,
 * `too_many_requests` when the caller or its workspace has too many open links.
 */
export async function beginConsent(
  parts: OAuthParts,
  principal: Principal,
  wanted: Wanted,
): Promise<OAuthConsent> {
  const { clock } = parts
  const now = clock.now()
  const consent = newConsent(parts, principal, wanted)
  return parts.store.transaction(async (store) => {
    const { consents } = store.oauth
    const open = await consents.findPending(consent.fingerprint, now + LIFETIME_MS / 2)
    if (open) return open
    await requireRoom(store, consent, now)
    await consents.insert(consent)
    await consents.endOldest(consent, { open: OPEN_OF_OWNER, all: KEPT_OF_OWNER })
    const { provider_id, scopes, end_user_id, agent_id } = consent
    await record(store, clock, principal, {
      action: 'oauth_consent.begin',
      // Readers of the log must not get a working link.
      target_id: hashOf(consent.id),
      target_name: provider_id,
      detail: { scopes, end_user_id, agent_id },
    })
    return consent
  })
}

async function requireRoom({ oauth }: ControlPlaneStore, consent: OAuthConsent, now: number) {
  const { workspace_id, user_id } = consent
  const ofCaller = await oauth.consents.countOpen({ workspace_id, user_id }, now, OPEN_OF_CALLER)
  if (ofCaller >= OPEN_OF_CALLER) throw tooMany(`${OPEN_OF_CALLER} links of this caller`)
  const ofAll = await oauth.consents.countOpen({ workspace_id }, now, OPEN_OF_WORKSPACE)
  if (ofAll >= OPEN_OF_WORKSPACE) throw tooMany(`${OPEN_OF_WORKSPACE} links of this workspace`)
}

function tooMany(what: string): AppError {
  const how = 'Each ends when it is used, or after a day.'
  return new AppError('too_many_requests', `${what} are open. ${how}`, { retryAfterSeconds: 3600 })
}

/** The page that the person opens: it names the asker and the scopes, and leads on to the provider. */
export function linkOf({ publicUrl }: OAuthParts, { id }: OAuthConsent): string {
  return `${publicUrl()}/v2/auth/start/${id}`
}

/** The provider's callback URL, unless the application has a page of its own. */
export function callbackUrl({ publicUrl }: OAuthParts, provider_id: string): string {
  return `${publicUrl()}/v2/auth/callback/${encodeURIComponent(provider_id)}`
}

/** The request behind a link. Throws `not_found`, `gone` when it is too late, `conflict` when it is done. */
export async function openLink(parts: OAuthParts, id: string) {
  const consent = await parts.store.oauth.consents.get(id)
  if (!consent) throw new AppError('not_found', 'There is no such link.')
  await requireOpen(parts, consent)
  return { consent, provider: await requireProviderOf(parts, consent) }
}

/**
 * The provider's URL for a person who has agreed to go on, with the consent, whose `browser_key` the browser
 * keeps. The secrets are new each time, so that a browser which went on earlier cannot end this attempt.
 * Throws as `openLink`, `conflict` while a code is exchanged.
 */
export async function followLink(parts: OAuthParts, id: string) {
  const { consent: found, provider } = await openLink(parts, id)
  const secrets = newSecrets()
  const begin = { state_hash: hashOf(secrets.state), secrets }
  if (!(await parts.store.oauth.consents.restart(found.id, begin))) {
    throw new AppError('conflict', 'This link is being used at this moment.')
  }
  const consent = { ...found, secrets }
  return { location: await parts.vault.servers.authorizationUrl(provider, consent), consent }
}

/** Throws `gone` for a consent that has expired or lost its deployment, `conflict` for one that is done. */
export async function requireOpen(parts: OAuthParts, consent: OAuthConsent): Promise<void> {
  if (consent.status === 'completed') {
    throw new AppError('conflict', 'This link was used already: access was given.')
  }
  if (consent.status === 'expired' || consent.expires_at <= parts.clock.now()) {
    throw new AppError('gone', 'This link is too old. Ask the agent for another.')
  }
  await requireDeployment(parts, consent)
}

/** The token of a deleted deployment could be neither used nor deleted. */
async function requireDeployment({ store }: OAuthParts, { user_id }: OAuthConsent): Promise<void> {
  if (!user_id.startsWith(DEPLOYMENT_USER)) return
  const deployment = await store.deployments.get(user_id.slice(DEPLOYMENT_USER.length))
  if (deployment && deployment.status !== 'AWAITING_DELETE') return
  throw new AppError('gone', 'The deployment that asked for this is not there any more.')
}

export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

function newConsent(parts: OAuthParts, principal: Principal, wanted: Wanted): OAuthConsent {
  const { owner, provider, scopes, token_id, agent_id, is_default, is_further } = wanted
  const { kind, name, role } = principal
  const redirect_uri = redirectUriOf(parts, wanted)
  const secrets = newSecrets()
  const same = [owner, provider.id, scopes.toSorted(), token_id, agent_id, redirect_uri]
  return {
    id: randomUUID(),
    ...owner,
    actor: { kind, name, role },
    provider_key: provider.id,
    provider_id: provider.provider_id,
    scopes,
    token_id,
    agent_id,
    is_default,
    is_further,
    redirect_uri,
    fingerprint: hashOf(JSON.stringify([...same, is_default, is_further])),
    state_hash: hashOf(secrets.state),
    secrets,
    status: 'pending',
    problem: null,
    claimed_until: null,
    created_at: timestamp(parts.clock),
    expires_at: parts.clock.now() + LIFETIME_MS,
  }
}

function redirectUriOf(parts: OAuthParts, { provider, redirect_uri }: Wanted): string {
  const { allowed_redirect_uris, default_redirect_uri, provider_id } = provider
  if (redirect_uri === undefined) return default_redirect_uri ?? callbackUrl(parts, provider_id)
  if (allowed_redirect_uris.includes(redirect_uri)) return redirect_uri
  const expected = "Expected one of the provider's allowed_redirect_uris, letter by letter."
  throw invalidField(['body', 'redirect_uri'], expected)
}

function newSecrets(): ConsentSecrets {
  return {
    state: generateRandomState(),
    code_verifier: generateRandomCodeVerifier(),
    nonce: generateRandomNonce(),
    browser_key: generateRandomState(),
  }
}
