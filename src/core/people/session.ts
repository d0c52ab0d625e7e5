/**
 * Sessions: who has signed in with a browser. The browser holds a secret in a cookie, and Runyard its hash
 * alone.
 *
 * ```
 * (link ──▶ code) ──▶ open ──rotated, used──▶ open ──▶ ended: signed out, unused, too old,
 *                                                      or its key or person is not good any more
 * ```
 */
import { randomBytes } from 'node:crypto'
import type { HeaderReader } from '../header-reader.ts'
import type { Principal, Role } from './api-key.ts'

/** In whose name a session acts. It never may more than they may. */
export interface SessionHolder {
  kind: 'api_key' | 'user'
  /** `Principal.user_id`. */
  user_id: string
  name: string
  /** Where they work unless they name another of `workspaces`. */
  workspace_id: string
  role: Role
  /** The ids of every workspace that they may name. */
  workspaces: string[]
  /** Of the API key that they came with: another key in its place ends the session. `null`: a person. */
  key_hash: string | null
}

export interface Session extends SessionHolder {
  id: string
  /** SHA-256 of the secret in the cookie. */
  secret_hash: string
  /** Of the secret before that one, which the browser may still send. */
  former_hash: string | null
  /** Until when. `null`: the browser has not sent the new secret yet. */
  former_until: string | null
  rotated_at: string
  /** The browser, as it names itself. */
  user_agent: string | null
  created_at: string
  /** The last use, to the minute. */
  used_at: string
  /** When it ends unless it is used before. */
  expires_at: string
  /** When it ends in any case. */
  ends_at: string
}

/** What a single-use link holds, by its hash. */
export interface SignInCode {
  code_hash: string
  holder: SessionHolder
  expires_at: string
}

/** A fresh secret for a cookie: 32 random bytes in base64url. */
export function newSessionSecret(): string {
  return randomBytes(32).toString('base64url')
}

/**
 * Answers who a request comes from by its cookie; `undefined`: it has none of ours. Throws
 * `unauthenticated` for a cookie that does not count here, `forbidden` for a workspace that is not theirs.
 */
export type RecogniseSession = (headers: HeaderReader) => Promise<Principal | undefined>

export interface SessionStore {
  insert(session: Session): Promise<void>
  /** By the hash of its secret, or of the one before it. Ended sessions are not there. */
  findByHash(hash: string): Promise<Session | undefined>
  get(id: string): Promise<Session | undefined>
  /** Those that last beyond `now`, of a workspace or of one user in it; the last used first. */
  list(
    of: { workspace_id: string; user_id?: string | undefined; now: string },
    page: { limit: number; offset: number },
  ): Promise<Session[]>
  /**
   * Replaces the secret. `former`: the one that the browser has now. `false`: the secret is not `from` any
   * more, or the session has ended.
   */
  rotate(
    id: string,
    change: { from: string; to: string; former: string; rotated_at: string },
  ): Promise<boolean>
  /** Notes the use. An end of the former secret that is set already stays. */
  use(id: string, change: Pick<Session, 'used_at' | 'expires_at' | 'former_until'>): Promise<void>
  /** Ends it. `false`: it had ended. */
  delete(id: string): Promise<boolean>
  /** Ends all of a user in a workspace; answers how many. */
  deleteOfUser(of: { workspace_id: string; user_id: string }): Promise<number>
  /** Ends all of a user but for these many, those that were used last. */
  endOldest(user_id: string, keep: number): Promise<void>
  /** Removes those that ended by themselves, and codes that are too old. */
  expire(now: string): Promise<void>
  /** Of its user the `keep` that are good for longest stay, this one among them. */
  addCode(code: SignInCode, keep: number): Promise<void>
  /** `undefined`: it was taken, is too old or was never there. */
  findCode(code_hash: string, now: string): Promise<SignInCode | undefined>
  /** Takes a code away: once. `undefined`: it was taken, is too old or was never there. */
  takeCode(code_hash: string, now: string): Promise<SignInCode | undefined>
}
