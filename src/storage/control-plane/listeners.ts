/** The `listeners` table. */
import type { Listener, ListenerStore } from '../../core/deployment/listener.ts'
import type { Db } from '../db/db.ts'
import { decodeRow } from '../db/json-columns.ts'

const JSON_COLUMNS = ['compute_config'] as const

const COLUMNS = `id, workspace_id, compute_type, compute_id, compute_config, version, created_at,
  updated_at`

const INSERT = `
INSERT INTO listeners (${COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
ON CONFLICT (workspace_id, compute_id) DO NOTHING`

const GET = `SELECT ${COLUMNS} FROM listeners WHERE workspace_id = $1 AND id = $2`

const LIST = `
SELECT ${COLUMNS} FROM listeners WHERE workspace_id = $1
ORDER BY created_at DESC, id DESC LIMIT $2 OFFSET $3`

const UPDATE = `
UPDATE listeners
SET compute_config = coalesce($2, compute_config), version = coalesce($3, version), updated_at = $4
WHERE id = $1`

/** `db` may be a transaction. */
export function createListenerStore(db: Db): ListenerStore {
  const read = (row: object) => decodeRow<Listener>(row, JSON_COLUMNS)
  return {
    insert: async (listener) => {
      const { id, workspace_id, compute_type, compute_id, version } = listener
      const config = JSON.stringify(listener.compute_config)
      const times = [listener.created_at, listener.updated_at]
      const params = [id, workspace_id, compute_type, compute_id, config, version, ...times]
      return (await db.run(INSERT, params)) === 1
    },
    get: async (workspace_id, id) => {
      const row = await db.get<object>(GET, [workspace_id, id])
      return row && read(row)
    },
    list: async ({ workspace_id, limit, offset }) =>
      (await db.all<object>(LIST, [workspace_id, limit, offset])).map(read),
    update: async (id, { compute_config, version, updated_at }) => {
      const config = compute_config === undefined ? null : JSON.stringify(compute_config)
      await db.run(UPDATE, [id, config, version ?? null, updated_at])
    },
    delete: async (id) => {
      await db.run('DELETE FROM listeners WHERE id = $1', [id])
    },
  }
}
