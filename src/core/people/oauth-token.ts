/** The OAuth tokens that users gave to agents, by provider. They are encrypted in the database. */
export interface OAuthToken {
  id: string
  workspace_id: string
  user_id: string
  /** The provider's slug, e.g. `github`. */
  provider_id: string
  provider_account_label: string | null
  access_token: string
  refresh_token: string | null
  scopes: string[]
  expires_at: string | null
  is_default: boolean
  created_at: string
  updated_at: string
}

export interface OAuthTokenStore {
  insert(token: OAuthToken): Promise<void>
  listOf(owner: { workspace_id: string; user_id: string }): Promise<OAuthToken[]>
  /** Removes the owner's tokens of one provider. Answers how many that were. */
  deleteOf(owner: { workspace_id: string; user_id: string }, provider_id: string): Promise<number>
}
