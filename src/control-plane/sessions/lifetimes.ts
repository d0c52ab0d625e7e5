/** How long sessions and links last. */
import type { Session } from '../../core/people/session.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/**
 * How long a session lasts unused, and in all, in ms. Each use checks the session's key, so that its session may last
 * long. A person's rights come from the issuer, and are only checked again at the next sign-in.
 */
const LIFETIMES: Readonly<Record<Session['kind'], { idleMs: number; mostMs: number }>> = {
  api_key: { idleMs: 7 * DAY_MS, mostMs: 30 * DAY_MS },
  user: { idleMs: 12 * HOUR_MS, mostMs: 12 * HOUR_MS },
}

/** How long a link works, in ms. */
export const LINK_MS = HOUR_MS / 2
/** How many links of one user work at a time: the latest. */
export const MOST_LINKS = 50
/** After how long the secret in the cookie is replaced, in ms. */
export const ROTATED_EVERY_MS = HOUR_MS
/** How many browsers one user may be signed in with. */
export const MOST_SESSIONS = 50

/** The end of a session that is used now. */
export function lastsUntil(
  { kind, created_at }: Pick<Session, 'kind' | 'created_at'>,
  now: number,
): Pick<Session, 'expires_at' | 'ends_at'> {
  const { idleMs, mostMs } = LIFETIMES[kind]
  const ends = Date.parse(created_at) + mostMs
  return {
    expires_at: new Date(Math.min(now + idleMs, ends)).toISOString(),
    ends_at: new Date(ends).toISOString(),
  }
}
