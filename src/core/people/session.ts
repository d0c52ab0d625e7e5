/**
 * Sessions of browsers that have signed in. The browser holds a secret in a cookie, Runyard only its hash.
 *
 * ```
 * (link ──▶ code) ──▶ open ──rotated, used──▶ open ──▶ ended: signed out, unused, too old,
 *                                                      or its key or user is no longer valid
 * ```
 */
import { randomBytes } from 'node:crypto'
import type { Principal, Role } from './api-key.ts'
import type { HeaderReader } from './sent-key.ts'

/** The user or key whose rights a session has. */
export interface SessionHolder {
  kind: 'api_key' | 'user'
  /** `Principal.user_id`. */
  user_id: string
  name: string
  /** Used unless the request names another of `workspaces`. */
  workspace_id: string
  role: Role
  /** The ids of all workspaces that they may use. */
  workspaces: string[]
  /** The hash of the API key that signed in: replacing the key ends the session. `null`: a user signed in. */
  key_hash: string | null
}

export interface Session extends SessionHolder {
  id: string
  /** SHA-256 of the secret in the cookie. */
  secret_hash: string
  /** The hash of the previous secret, which the browser may still send. */
  former_hash: string | null
  /** Its end. `null`: the browser has not sent the new secret yet. */
  former_until: string | null
  rotated_at: string
  /** The browser's `user-agent`. */
  user_agent: string | null
  created_at: string
  /** The last use, to the minute. */
  used_at: string
  /** When it ends unless it is used before. */
  expires_at: string
  /** When it ends in any case. */
  ends_at: string
}

/** The code of a single-use link, by its hash. */
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
 * Identifies the sender of a request by its cookie; `undefined`: it has none of ours. Throws `unauthenticated` for an
 * invalid cookie, `forbidden` for a workspace that is not theirs.
 */
export type RecogniseSession = (headers: HeaderReader) => Promise<Principal | undefined>

export interface SessionStore {
  insert(session: Session): Promise<void>
  /** By the hash of its secret, or of the previous one. Ended sessions are not found. */
  findByHash(hash: string): Promise<Session | undefined>
  get(id: string): Promise<Session | undefined>
  /** Sessions that last beyond `now`, of a workspace or of one user in it; the last used first. */
  list(
    of: { workspace_id: string; user_id?: string | undefined; now: string },
    page: { limit: number; offset: number },
  ): Promise<Session[]>
  /**
   * Replaces the secret. `former`: the browser's present one. `false`: the secret is no longer `from`, or the session
   * has ended.
   */
  rotate(
    id: string,
    change: { from: string; to: string; former: string; rotated_at: string },
  ): Promise<boolean>
  /** Stores the use. Keeps an existing end of the former secret. */
  use(id: string, change: Pick<Session, 'used_at' | 'expires_at' | 'former_until'>): Promise<void>
  /** Ends it. `false`: it had ended. */
  delete(id: string): Promise<boolean>
  /** Ends a user's sessions in a workspace; returns how many. */
  deleteOfUser(of: { workspace_id: string; user_id: string }): Promise<number>
  /** Ends a user's sessions except the `keep` last used ones. */
  endOldest(user_id: string, keep: number): Promise<void>
  /** Removes expired sessions and codes. */
  expire(now: string): Promise<void>
  /** Keeps this code, and the user's longest valid ones up to `keep` in all. */
  addCode(code: SignInCode, keep: number): Promise<void>
  /** `undefined`: it was used, has expired or never existed. */
  findCode(code_hash: string, now: string): Promise<SignInCode | undefined>
  /** Uses up a code. `undefined`: it was used, has expired or never existed. */
  takeCode(code_hash: string, now: string): Promise<SignInCode | undefined>
}
