/** The `listeners` table. */
import type { Listener, ListenerStore } from '../../core/deployment/listener.ts'
import type { Db } from '../db/db.ts'
import { decodeRow } from '../db/json-columns.ts'

const JSON_COLUMNS = ['compute_config'] as const

const COLUMNS = `id, workspace_id, compute_type, compute_id, compute_config, version, url, key_hash,
  last_heard_at, created_at, updated_at`

const INSERT = `
INSERT INTO listeners (${COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
ON CONFLICT (workspace_id, compute_id) DO NOTHING`

const GET = `SELECT ${COLUMNS} FROM listeners WHERE workspace_id = $1 AND id = $2`

const FIND = `SELECT ${COLUMNS} FROM listeners WHERE key_hash = $1`

const LIST = `
SELECT ${COLUMNS} FROM listeners WHERE workspace_id = $1
ORDER BY created_at DESC, id DESC LIMIT $2 OFFSET $3`

const UPDATE = `
UPDATE listeners
SET compute_config = coalesce($2, compute_config), version = coalesce($3, version),
  url = coalesce($4, url), updated_at = $5
WHERE id = $1`

const NOTE_HEARD = 'UPDATE listeners SET last_heard_at = $2 WHERE id = $1'

const SET_KEY = 'UPDATE listeners SET key_hash = $2 WHERE id = $1'

/** `db` may be a transaction. */
export function createListenerStore(db: Db): ListenerStore {
  const read = (row: object) => decodeRow<Listener>(row, JSON_COLUMNS)
  return {
    insert: async (listener) => {
      const { id, workspace_id, compute_type, compute_id, version, url, key_hash } = listener
      const config = JSON.stringify(listener.compute_config)
      const times = [listener.last_heard_at, listener.created_at, listener.updated_at]
      const own = [version, url, key_hash]
      const params = [id, workspace_id, compute_type, compute_id, config, ...own, ...times]
      return (await db.run(INSERT, params)) === 1
    },
    get: async (workspace_id, id) => {
      const row = await db.get<object>(GET, [workspace_id, id])
      return row && read(row)
    },
    findByKeyHash: async (key_hash) => {
      const row = await db.get<object>(FIND, [key_hash])
      return row && read(row)
    },
    list: async ({ workspace_id, limit, offset }) =>
      (await db.all<object>(LIST, [workspace_id, limit, offset])).map(read),
    update: async (id, { compute_config, version, url, key_hash, updated_at }) => {
      const config = compute_config === undefined ? null : JSON.stringify(compute_config)
      await db.run(UPDATE, [id, config, version ?? null, url ?? null, updated_at])
      if (key_hash !== undefined) await db.run(SET_KEY, [id, key_hash])
    },
    noteHeard: async (id, last_heard_at) => {
      await db.run(NOTE_HEARD, [id, last_heard_at])
    },
    delete: async (id) => {
      await db.run('DELETE FROM listeners WHERE id = $1', [id])
    },
  }
}
