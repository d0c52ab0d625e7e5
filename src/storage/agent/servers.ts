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
    async register(server) {
      await servers.insert(server, SERVERS.orReplace('server_id'))
    },
    async seen(server_id, at) {
      await db.run('UPDATE servers SET seen_at = $2 WHERE server_id = $1', [server_id, at])
    },
    list: () => servers.all(LIST),
    async remove(server_id) {
      await db.run('DELETE FROM servers WHERE server_id = $1', [server_id])
    },
  }
}
