/** Tokens that are gone here, and that their provider has not taken back yet: it did not answer. */
import type { OAuthProvider } from './provider.ts'
import type { OAuthGrant, OAuthToken, TokenOwner } from './token.ts'

export interface OAuthRevocation extends TokenOwner {
  /** That of the token. */
  id: string
  /** As it was when the token went: it may be gone by now. */
  provider: OAuthProvider
  grant: Pick<OAuthGrant, 'access_token' | 'refresh_token'>
  /** How often the provider was asked so far. */
  attempts: number
  /** When it is asked next, in ms since 1970. */
  next_at: number
  created_at: string
}

/** How often a provider is asked; after that the token is left to run out. */
export const MOST_ATTEMPTS = 12
const FIRST_WAIT_MS = 60_000
const LONGEST_WAIT_MS = 4 * 3_600_000

/** How long to wait after so many attempts, in ms: a minute, two, four, up to four hours; over a day in all. */
export function revocationWaitMs(attempts: number): number {
  return Math.min(FIRST_WAIT_MS * 2 ** Math.max(attempts - 1, 0), LONGEST_WAIT_MS)
}

/** The first further attempt is a minute after the token went. */
export function revocationOf(
  token: OAuthToken,
  provider: OAuthProvider,
  now: number,
): OAuthRevocation {
  const { id, workspace_id, user_id, end_user_id, access_token, refresh_token } = token
  return {
    ...{ id, workspace_id, user_id, end_user_id, provider },
    grant: { access_token, refresh_token },
    attempts: 1,
    next_at: now + revocationWaitMs(1),
    created_at: new Date(now).toISOString(),
  }
}

/** The provider and the grant are encrypted in the database. */
export interface OAuthRevocationStore {
  insert(revocation: OAuthRevocation): Promise<void>
  /** Those whose provider is to be asked at `now` (ms since 1970), due longest first. */
  listDue(now: number, limit: number): Promise<OAuthRevocation[]>
  /** Notes an attempt that has failed. */
  postpone(id: string, change: Pick<OAuthRevocation, 'attempts' | 'next_at'>): Promise<void>
  delete(id: string): Promise<void>
}
