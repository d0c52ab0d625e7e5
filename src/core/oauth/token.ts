/**
 * OAuth tokens that users gave to agents, by provider. Encrypted in the database.
 *
 * A token is `active` until its provider refuses to refresh it, or it expires and cannot be refreshed. Then it is
 * `expired`, and the provider is not asked again until the user consents anew.
 */
import type { JsonObject } from '../json.ts'
import type { Principal } from '../people/api-key.ts'

export const TOKEN_STATUSES = ['active', 'expired'] as const
type TokenStatus = (typeof TOKEN_STATUSES)[number]

/** Every step a token's status may take. */
export const TOKEN_TRANSITIONS: Readonly<Record<TokenStatus, readonly TokenStatus[]>> = {
  active: ['expired'],
  expired: ['active'],
}

/** The prefix of an agent key's `user_id`; the deployment's id follows. */
export const DEPLOYMENT_USER = 'deployment:'

/** The owner of a token. */
export interface TokenOwner {
  workspace_id: string
  /** `Principal.user_id` of the requesting caller. */
  user_id: string
  /** The caller's end user who gave it, as the application names them; empty: none. */
  end_user_id: string
}

/**
 * A holder whose tokens and consents are removed together: a workspace, one caller (`user_id`), or one person
 * (`person`), as a caller or as an end user of any caller in the workspace.
 */
export interface GrantHolder {
  workspace_id: string
  user_id?: string
  person?: string
}

/** A provider's grant: at the first consent, and with each refresh. */
export interface OAuthGrant {
  access_token: string
  /** `null`: it cannot be refreshed. */
  refresh_token: string | null
  expires_at: string | null
}

export interface OAuthToken extends TokenOwner, OAuthGrant {
  id: string
  /** `OAuthProvider.id` of its provider. It is never sent to another one with the same slug. */
  provider_key: string
  /** The provider's slug, e.g. `github`. */
  provider_id: string
  /** The account's name for users. */
  provider_account_label: string | null
  /** The provider's own id of the account; `null`: unknown. */
  account_id: string | null
  /** The scopes according to the provider. */
  scopes: string[]
  /** The scopes that were requested: providers grant some under other names. */
  asked_scopes: string[]
  status: TokenStatus
  is_default: boolean
  /** Further data for callers of the provider's API, e.g. `instance_url` of Salesforce. */
  metadata: JsonObject
  /** Increases with each grant. */
  version: number
  /** After a temporary failure, the next refresh is not tried before this moment (ms). */
  retry_at: number | null
  /** How many refreshes failed in a row; each failure makes the wait longer. */
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

/** The temporary right to refresh one token. */
interface RefreshClaim {
  id: string
  /** As read before: a token with a newer grant is not claimed. */
  version: number
  /** A unique name. */
  holder: string
  /** Then another server may claim it, in ms by the database's clock: servers' clocks may differ. */
  forMs: number
}

/** Tokens of one caller and their end users, and those that agents keep for the same person. */
interface UserQuery extends Omit<TokenOwner, 'end_user_id'> {
  /** The slug of one provider; absent: all providers. */
  provider_id?: string | undefined
}

/** A token is decrypted only when its encrypted fields are read. */
export interface OAuthTokenStore {
  insert(token: OAuthToken): Promise<void>
  get(id: string): Promise<OAuthToken | undefined>
  /** One owner's tokens of one provider, in the order created. */
  listOf(owner: TokenOwner, provider_key: string): Promise<OAuthToken[]>
  /** In the order created. */
  listOfUser(query: UserQuery & { limit: number; offset?: number }): Promise<OAuthToken[]>
  /** Whether `listOfUser` has an active token of the provider. */
  hasActive(user: Omit<UserQuery, 'provider_id'>, provider_key: string): Promise<boolean>
  /** A workspace's tokens of one provider, in the order created. */
  listOfProvider(
    workspace_id: string,
    provider_key: string,
    limit: number,
    offset?: number,
  ): Promise<OAuthToken[]>
  /** Whether a workspace has an active token of any of the providers. */
  hasActiveOfProviders(workspace_id: string, provider_keys: readonly string[]): Promise<boolean>
  listOfHolder(holder: GrantHolder, limit: number): Promise<OAuthToken[]>
  /**
   * Holders of tokens or consents that cannot use them any more: API keys that were revoked, or have expired at `now`
   * (ISO 8601). Those of a deployment are removed with it.
   */
  listLostHolders(now: string, limit: number): Promise<GrantHolder[]>
  /**
   * Active tokens that can be refreshed, expired before `now` and were last granted before `before` (both ISO 8601),
   * the longest untouched first. Leaves out tokens with a later `retry_at`, or with five failures in a row.
   */
  listIdle(times: { now: string; before: string }, limit: number): Promise<OAuthToken[]>
  /** Clears the failures of all tokens of a provider, so that it is asked again. */
  forgetFailures(provider_key: string): Promise<void>
  /** A new grant gets the next `version`. It ends any claim, as does a new status. */
  update(id: string, patch: OAuthTokenPatch): Promise<void>
  /** The owner's other tokens of the provider are no longer the default. */
  clearDefault(token: Pick<OAuthToken, keyof TokenOwner | 'id' | 'provider_key'>): Promise<void>
  /** `false`: it did not exist. */
  delete(id: string): Promise<boolean>
  /** `false`: another server has it, it has a new grant, or it is gone. */
  claimRefresh(claim: RefreshClaim): Promise<boolean>
  /** Stores the result and ends the claim. `false`: another server has the claim by now. */
  endRefresh(claim: Pick<RefreshClaim, 'id' | 'holder'>, patch: OAuthTokenPatch): Promise<boolean>
}

/** Whether the principal is the owner, or the person that an agent asked for. */
export function isOf(
  { workspace_id, user_id, end_user_id }: TokenOwner,
  principal: Principal,
): boolean {
  if (principal.workspace_id !== workspace_id) return false
  const isEndUser = user_id.startsWith(DEPLOYMENT_USER) && end_user_id === principal.user_id
  return user_id === principal.user_id || isEndUser
}
