/** What happened to OAuth tokens, for the people whose they are. */
import type { TokenOwner } from './token.ts'

export const TOKEN_EVENT_TYPES = [
  'token_created',
  'token_updated',
  'token_refreshed',
  'token_refresh_failed',
  'token_expired',
  'token_deleted',
  'consent_refused',
  'consent_failed',
] as const
export type TokenEventType = (typeof TOKEN_EVENT_TYPES)[number]

export interface OAuthTokenEvent extends TokenOwner {
  id: string
  provider_id: string
  agent_id: string | null
  event_type: TokenEventType
  /** Why, as a sentence; never a part of a token. */
  reason: string | null
  /** What brought it about: `consent`, `refresh`, `request`. */
  source: string | null
  provider_account_label: string | null
  scopes: string[]
  created_at: string
}

/** How many an owner has at most: of more, the oldest are forgotten. */
export const MOST_EVENTS = 1_000

export interface OAuthTokenEventStore {
  /** Of its owner the newest `MOST_EVENTS` stay. */
  append(event: OAuthTokenEvent): Promise<void>
  /** Of the tokens that `OAuthTokenStore.listOfUser` lists; the newest first. */
  listOfUser(query: {
    workspace_id: string
    user_id: string
    provider_id?: string | undefined
    limit: number
  }): Promise<OAuthTokenEvent[]>
  /** Removes what is older than `before` (ISO 8601). */
  forget(before: string): Promise<void>
}
