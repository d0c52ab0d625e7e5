/**
 * OAuth tokens that people gave to agents, by provider. Encrypted in the database.
 *
 * A token is `active` until its provider refuses to refresh it, or it has run out and cannot be
 * refreshed: then it is `expired`, and nobody asks the provider again until its person consents anew.
 */
import type { JsonObject } from '../json.ts'

export const TOKEN_STATUSES = ['active', 'expired'] as const
type TokenStatus = (typeof TOKEN_STATUSES)[number]

/** Every step a token's status may take. */
export const TOKEN_TRANSITIONS: Readonly<Record<TokenStatus, readonly TokenStatus[]>> = {
  active: ['expired'],
  expired: ['active'],
}

/** How the `user_id` begins that an agent's own key stands for; the deployment's id follows. */
export const DEPLOYMENT_USER = 'deployment:'

/** Whose a token is. */
export interface TokenOwner {
  workspace_id: string
  /** `Principal.user_id` of who asked for it. */
  user_id: string
  /** Which of that user's own end users gave it, as the application names them; empty: none. */
  end_user_id: string
}

/**
 * Whose tokens and consents are removed together: a workspace's, those of one caller (`user_id`), or what
 * anybody in the workspace keeps of one person (`person`), whether as a caller or as an end user.
 */
export interface GrantHolder {
  workspace_id: string
  user_id?: string
  person?: string
}

/** What a provider grants: at the first consent, and with each refresh. */
export interface OAuthGrant {
  access_token: string
  /** `null`: it cannot be refreshed. */
  refresh_token: string | null
  expires_at: string | null
}

export interface OAuthToken extends TokenOwner, OAuthGrant {
  id: string
  /** `OAuthProvider.id`: which provider gave it. It is never sent to another of the same slug. */
  provider_key: string
  /** The provider's slug, e.g. `github`. */
  provider_id: string
  /** Which account it is, as people tell them apart. */
  provider_account_label: string | null
  /** The provider's own id of the account; `null`: it does not say. */
  account_id: string | null
  /** What the provider says that it allows. */
  scopes: string[]
  /** What was asked for when it was given: providers grant some scopes under other names. */
  asked_scopes: string[]
  status: TokenStatus
  is_default: boolean
  /** What callers of the provider's API need besides, e.g. `instance_url` of Salesforce. */
  metadata: JsonObject
  /** Grows with each grant. */
  version: number
  /** After a failure that may pass, the provider is not asked again before this moment (ms). */
  retry_at: number | null
  /** How often in a row it could not be refreshed; each failure makes the wait longer. */
  refresh_failures: number
  created_at: string
  updated_at: string
}

export type OAuthTokenPatch = Partial<
  Omit<
    OAuthToken,
    keyof TokenOwner | 'id' | 'provider_key' | 'provider_id' | 'created_at' | 'version'
  >
>

/** The right to refresh one token, for a while. */
interface RefreshClaim {
  id: string
  /** As read before: a token that was granted anew meanwhile is not claimed. */
  version: number
  /** A name that nobody else uses. */
  holder: string
  /** After this another may claim it, in ms by the database's clock: servers' clocks may differ. */
  forMs: number
}

/** Tokens of one caller and their end users, and those that agents keep for the same person. */
interface UserQuery extends Omit<TokenOwner, 'end_user_id'> {
  /** Of one provider, by its slug; absent: of all. */
  provider_id?: string | undefined
}

/** A token that was read opens what is sealed of it when somebody asks for that. */
export interface OAuthTokenStore {
  insert(token: OAuthToken): Promise<void>
  get(id: string): Promise<OAuthToken | undefined>
  /** One owner's of one provider, in the order created. */
  listOf(owner: TokenOwner, provider_key: string): Promise<OAuthToken[]>
  /** In the order created. */
  listOfUser(query: UserQuery & { limit: number; offset?: number }): Promise<OAuthToken[]>
  /** Whether one of `listOfUser` that the provider gave is active. */
  hasActive(user: Omit<UserQuery, 'provider_id'>, provider_key: string): Promise<boolean>
  /** A workspace's of one provider, in the order created. */
  listOfProvider(
    workspace_id: string,
    provider_key: string,
    limit: number,
    offset?: number,
  ): Promise<OAuthToken[]>
  /** Whether a workspace has an active one of any of the providers. */
  hasActiveOfProviders(workspace_id: string, provider_keys: readonly string[]): Promise<boolean>
  listOfHolder(holder: GrantHolder, limit: number): Promise<OAuthToken[]>
  /**
   * Who holds tokens or consents and cannot ask for them any more: API keys that were revoked, or have run
   * out at `now` (ISO 8601). Those of a deployment go with it.
   */
  listLostHolders(now: string, limit: number): Promise<GrantHolder[]>
  /**
   * Active ones that can be refreshed, have run out before `now` and were last granted before `before`
   * (both ISO 8601); none whose provider is to be left alone at `now`, or has failed five times in a row. Those untouched
   * longest first.
   */
  listIdle(times: { now: string; before: string }, limit: number): Promise<OAuthToken[]>
  /** What kept a provider from being asked is over, for all of its tokens. */
  forgetFailures(provider_key: string): Promise<void>
  /** A new grant gets the next `version`; it ends any claim, as a new status does. */
  update(id: string, patch: OAuthTokenPatch): Promise<void>
  /** The owner's other tokens of the provider are no longer the default. */
  clearDefault(token: Pick<OAuthToken, keyof TokenOwner | 'id' | 'provider_key'>): Promise<void>
  /** `false`: it was not there. */
  delete(id: string): Promise<boolean>
  /** `false`: another holds it, it was granted anew, or it is gone. */
  claimRefresh(claim: RefreshClaim): Promise<boolean>
  /** Writes what came of it and ends the claim. `false`: the claim is another's by now. */
  endRefresh(claim: Pick<RefreshClaim, 'id' | 'holder'>, patch: OAuthTokenPatch): Promise<boolean>
}
