/** `Idempotency-Key`: a request that creates a run and is sent again creates no second run. */

/** How long a key is remembered, in ms: a day. */
export const IDEMPOTENCY_KEY_MS = 24 * 3_600_000

/** A key that has created a run. */
export interface IdempotencyKey {
  /** The caller and the resource that the key belongs to. The same text in another scope is another key. */
  scope: string
  key: string
  /** The hash of the request. A different request may not use the key. */
  fingerprint: string
  run_id: string
  /** ms since 1970 */
  created_at: number
}

/** The keys of one database. */
export interface IdempotencyKeyStore {
  find(scope: string, key: string): Promise<IdempotencyKey | undefined>
  /** Adds the key. It replaces an older one of the same scope. */
  put(key: IdempotencyKey): Promise<void>
  /** Removes keys from before `before` (ms since 1970). Returns how many. */
  expire(before: number): Promise<number>
}
