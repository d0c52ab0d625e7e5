/** `Idempotency-Key`: a request that creates a run, sent again, creates no second one. */

/** How long a key is remembered, in ms: a day. */
export const IDEMPOTENCY_KEY_MS = 24 * 3_600_000

/** A key that created a run. */
export interface IdempotencyKey {
  /** Whose key, and for what: the same text elsewhere is another key. */
  scope: string
  key: string
  /** Of what was asked: another request may not use the key. */
  fingerprint: string
  run_id: string
  /** ms since 1970 */
  created_at: number
}

/** The keys of one database. */
export interface IdempotencyKeyStore {
  find(scope: string, key: string): Promise<IdempotencyKey | undefined>
  /** Adds it, in place of an older one of its scope. */
  put(key: IdempotencyKey): Promise<void>
  /** Forgets those made before `before` (ms since 1970). Answers how many. */
  expire(before: number): Promise<number>
}
