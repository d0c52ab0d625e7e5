/** The `idempotency_keys` table. */
import type { IdempotencyKey, IdempotencyKeyStore } from '../../core/agent/idempotency-key.ts'
import type { Db } from '../db/db.ts'

const COLUMNS = 'scope, key, fingerprint, run_id, created_at'

const FIND = `SELECT ${COLUMNS} FROM idempotency_keys WHERE scope = $1 AND key = $2`

const PUT = `
INSERT INTO idempotency_keys (${COLUMNS}) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (scope, key) DO UPDATE
SET fingerprint = excluded.fingerprint, run_id = excluded.run_id, created_at = excluded.created_at`

export function createIdempotencyKeyStore(db: Db): IdempotencyKeyStore {
  return {
    async find(scope, key) {
      const row = await db.get<IdempotencyKey>(FIND, [scope, key])
      return row && { ...row }
    },
    async put({ scope, key, fingerprint, run_id, created_at }) {
      await db.run(PUT, [scope, key, fingerprint, run_id, created_at])
    },
    expire: (before) => db.run('DELETE FROM idempotency_keys WHERE created_at < $1', [before]),
  }
}
