/** The `idempotency_keys` table. */
import type { IdempotencyKey, IdempotencyKeyStore } from '../../core/agent/idempotency-key.ts'
import type { Db } from '../db/db.ts'
import { table } from '../db/table.ts'

const KEYS = table<IdempotencyKey>(
  'idempotency_keys',
  'scope, key, fingerprint, run_id, created_at',
)

const FIND = `SELECT ${KEYS.columns} FROM idempotency_keys WHERE scope = $1 AND key = $2`

export function createIdempotencyKeyStore(db: Db): IdempotencyKeyStore {
  const keys = KEYS.on(db)
  return {
    find: (scope, key) => keys.get(FIND, [scope, key]),
    put: (key) => keys.put(key, 'scope, key'),
    expire: (before) => db.run('DELETE FROM idempotency_keys WHERE created_at < $1', [before]),
  }
}
