/** The `api_keys` table. */
import type { ApiKey, ApiKeyStore } from '../../core/people/api-key.ts'
import type { Db } from '../db/db.ts'

const COLUMNS = `id, name, workspace_id, role, key_hash, hint, created_at, expires_at, revoked_at,
  last_used_at`

const FIND_BY_HASH = `SELECT ${COLUMNS} FROM api_keys WHERE key_hash = $1`
const GET = `SELECT ${COLUMNS} FROM api_keys WHERE id = $1`

const LIST = `
SELECT ${COLUMNS} FROM api_keys WHERE workspace_id = $1
ORDER BY created_at DESC, id DESC LIMIT $2 OFFSET $3`

const PUT = `
INSERT INTO api_keys (${COLUMNS})
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
ON CONFLICT (id) DO UPDATE SET
  name = excluded.name,
  workspace_id = excluded.workspace_id,
  role = excluded.role,
  key_hash = excluded.key_hash,
  hint = excluded.hint,
  created_at = excluded.created_at,
  expires_at = excluded.expires_at,
  revoked_at = excluded.revoked_at,
  last_used_at = excluded.last_used_at`

const REVOKE = 'UPDATE api_keys SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL'

const TOUCH = `
UPDATE api_keys SET last_used_at = $2
WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < $2)`

/** `db` may be a transaction. */
export function createApiKeyStore(db: Db): ApiKeyStore {
  const find = async (sql: string, by: string) => {
    const row = await db.get<ApiKey>(sql, [by])
    return row && { ...row }
  }
  return {
    findByHash: (key_hash) => find(FIND_BY_HASH, key_hash),
    get: (id) => find(GET, id),
    list: async ({ workspace_id, limit, offset }) => {
      const rows = await db.all<ApiKey>(LIST, [workspace_id, limit, offset])
      return rows.map((row) => ({ ...row }))
    },
    put: async (key) => {
      const { id, name, workspace_id, role, key_hash, hint } = key
      const times = [key.created_at, key.expires_at, key.revoked_at, key.last_used_at]
      await db.run(PUT, [id, name, workspace_id, role, key_hash, hint, ...times])
    },
    revoke: async (id, revoked_at) => (await db.run(REVOKE, [id, revoked_at])) === 1,
    touch: async (id, last_used_at) => {
      await db.run(TOUCH, [id, last_used_at])
    },
  }
}
