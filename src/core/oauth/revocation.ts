/** Deleted tokens that their provider has not revoked yet, because it did not answer. */
import { momentOf } from '../clock.ts'
import type { OAuthProvider } from './provider.ts'
import type { OAuthGrant, OAuthToken, TokenOwner } from './token.ts'

export interface OAuthRevocation extends TokenOwner {
  /** The token's id. */
  id: string
  /** As it was when the token was deleted: it may be gone by now. */
  provider: OAuthProvider
  grant: Pick<OAuthGrant, 'access_token' | 'refresh_token'>
  /** How often revocation was tried. */
  attempts: number
  /** When it is tried next, in ms since 1970. */
  next_at: number
  created_at: string
}

/** How often revocation is tried; then the token is left to expire. */
export const MOST_ATTEMPTS = 12
const FIRST_WAIT_MS = 60_000
const LONGEST_WAIT_MS = 4 * 3_600_000

/** How long to wait after this many attempts, in ms: a minute, two, four, up to four hours; over a day in all. */
export function revocationWaitMs(attempts: number): number {
  return Math.min(FIRST_WAIT_MS * 2 ** Math.max(attempts - 1, 0), LONGEST_WAIT_MS)
}

/** The second attempt follows a minute after the deletion. */
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
    created_at: momentOf(now),
  }
}

/** The provider and the grant are encrypted in the database. */
export interface OAuthRevocationStore {
  insert(revocation: OAuthRevocation): Promise<void>
  /** Revocations that are due at `now` (ms since 1970), due longest first. */
  listDue(now: number, limit: number): Promise<OAuthRevocation[]>
  /** Stores a failed attempt. */
  postpone(id: string, change: Pick<OAuthRevocation, 'attempts' | 'next_at'>): Promise<void>
  delete(id: string): Promise<void>
}
