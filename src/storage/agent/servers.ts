/** The `servers` table. */
import type { ServerRecord, ServerStore } from '../../core/agent/server/server.ts'
import type { Db } from '../db/db.ts'
import { table } from '../db/table.ts'

const SERVERS = table<ServerRecord>(
  'servers',
  'server_id, host, pid, started_at, seen_at, graphs',
  {
    json: ['graphs'],
  },
)

const LIST = `SELECT ${SERVERS.columns} FROM servers ORDER BY started_at, server_id`

export function createServerStore(db: Db): ServerStore {
  const servers = SERVERS.on(db)
  return {
    register: (server) => servers.put(server, 'server_id'),
    seen: (server_id, at) =>
      db.runAhead('UPDATE servers SET seen_at = $2 WHERE server_id = $1', [server_id, at]),
    list: () => servers.all(LIST),
    remove: (server_id) => db.runAhead('DELETE FROM servers WHERE server_id = $1', [server_id]),
  }
}
