/** The `api_keys` table. */
import type { ApiKey, ApiKeyStore } from '../core/api-key.ts'
import type { Db } from './db.ts'

const COLUMNS = 'id, name, workspace_id, role, key_hash, created_at, expires_at, revoked_at'

const FIND_BY_HASH = `SELECT ${COLUMNS} FROM api_keys WHERE key_hash = $1`

const PUT = `
INSERT INTO api_keys (${COLUMNS})
VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
ON CONFLICT (id) DO UPDATE SET
  name = excluded.name,
  workspace_id = excluded.workspace_id,
  role = excluded.role,
  key_hash = excluded.key_hash,
  created_at = excluded.created_at,
  expires_at = excluded.expires_at,
  revoked_at = excluded.revoked_at`

/** On `db`, which may be a transaction. */
export function createApiKeyStore(db: Db): ApiKeyStore {
  return {
    findByHash: async (key_hash) => {
      const row = await db.get<ApiKey>(FIND_BY_HASH, [key_hash])
      return row && { ...row }
    },
    put: async (key) => {
      const { id, name, workspace_id, role, key_hash, created_at, expires_at, revoked_at } = key
      const params = [id, name, workspace_id, role, key_hash, created_at, expires_at, revoked_at]
      await db.run(PUT, params)
    },
  }
}
