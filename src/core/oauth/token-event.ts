/** The history of OAuth tokens, for their owners. */
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
  /** The cause: `consent`, `refresh`, `request`. */
  source: string | null
  provider_account_label: string | null
  scopes: string[]
  created_at: string
}

/** How many an owner has at most; older ones are removed. */
export const MOST_EVENTS = 1_000

export interface OAuthTokenEventStore {
  /** Keeps the owner's newest `MOST_EVENTS`. */
  append(event: OAuthTokenEvent): Promise<void>
  /** Events of the tokens in `OAuthTokenStore.listOfUser`; the newest first. */
  listOfUser(query: {
    workspace_id: string
    user_id: string
    provider_id?: string | undefined
    limit: number
  }): Promise<OAuthTokenEvent[]>
  /** Removes events from before `before` (ISO 8601). */
  forget(before: string): Promise<void>
}
