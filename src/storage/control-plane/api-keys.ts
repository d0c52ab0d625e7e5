/** The `api_keys` table. */
import type { ApiKey, ApiKeyStore } from '../../core/people/api-key.ts'
import type { Db } from '../db/db.ts'
import { table } from '../db/table.ts'

const KEYS = table<ApiKey>(
  'api_keys',
  'id, name, workspace_id, role, key_hash, hint, created_at, expires_at, revoked_at, last_used_at',
)

const FIND_BY_HASH = `SELECT ${KEYS.columns} FROM api_keys WHERE key_hash = $1`
const GET = `SELECT ${KEYS.columns} FROM api_keys WHERE id = $1`

const LIST = `
SELECT ${KEYS.columns} FROM api_keys WHERE workspace_id = $1
ORDER BY created_at DESC, id DESC LIMIT $2 OFFSET $3`

const REVOKE = 'UPDATE api_keys SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL'

const TOUCH = `
UPDATE api_keys SET last_used_at = $2
WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < $2)`

/** `db` may be a transaction. */
export function createApiKeyStore(db: Db): ApiKeyStore {
  const keys = KEYS.on(db)
  return {
    findByHash: (key_hash) => keys.get(FIND_BY_HASH, [key_hash]),
    get: (id) => keys.get(GET, [id]),
    list: ({ workspace_id, limit, offset }) => keys.all(LIST, [workspace_id, limit, offset]),
    put: (key) => keys.put(key, 'id'),
    revoke: async (id, revoked_at) => (await db.run(REVOKE, [id, revoked_at])) === 1,
    touch: (id, last_used_at) => db.runAhead(TOUCH, [id, last_used_at]),
  }
}
