/** The `listeners` table. */
import type { Listener, ListenerStore } from '../../core/deployment/listener.ts'
import type { Db } from '../db/db.ts'
import { table } from '../db/table.ts'

const LISTENERS = table<Listener>(
  'listeners',
  `id, workspace_id, compute_type, compute_id, compute_config, version, url, key_hash, last_heard_at,
  created_at, updated_at`,
  { json: ['compute_config'] },
)

const GET = `SELECT ${LISTENERS.columns} FROM listeners WHERE workspace_id = $1 AND id = $2`

const FIND = `SELECT ${LISTENERS.columns} FROM listeners WHERE key_hash = $1`

const LIST = `
SELECT ${LISTENERS.columns} FROM listeners WHERE workspace_id = $1
ORDER BY created_at DESC, id DESC LIMIT $2 OFFSET $3`

/** `db` may be a transaction. */
export function createListenerStore(db: Db): ListenerStore {
  const listeners = LISTENERS.on(db)
  return {
    insert: (listener) =>
      listeners.insert(listener, 'ON CONFLICT (workspace_id, compute_id) DO NOTHING'),
    get: (workspace_id, id) => listeners.get(GET, [workspace_id, id]),
    findByKeyHash: (key_hash) => listeners.get(FIND, [key_hash]),
    list: ({ workspace_id, limit, offset }) => listeners.all(LIST, [workspace_id, limit, offset]),
    update: (id, patch) => listeners.update(id, patch),
    noteHeard: (id, last_heard_at) => listeners.update(id, { last_heard_at }),
    delete: (id) => db.runAhead('DELETE FROM listeners WHERE id = $1', [id]),
  }
}
