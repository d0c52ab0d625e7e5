/** The `servers` table. */
import type { ServerRecord, ServerStore } from '../../core/agent/server/server.ts'
import type { Db } from '../db/db.ts'
import { decodeRow, encodeJson } from '../db/json-columns.ts'

const COLUMNS = 'server_id, host, pid, started_at, seen_at, graphs'

const REGISTER = `
INSERT INTO servers (${COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (server_id) DO UPDATE
SET host = excluded.host, pid = excluded.pid, started_at = excluded.started_at,
  seen_at = excluded.seen_at, graphs = excluded.graphs`

export function createServerStore(db: Db): ServerStore {
  return {
    async register(server) {
      const { server_id, host, pid, started_at, seen_at, graphs } = server
      const params = [server_id, host, pid, started_at, seen_at, encodeJson(graphs)]
      await db.run(REGISTER, params)
    },
    async seen(server_id, at) {
      await db.run('UPDATE servers SET seen_at = $2 WHERE server_id = $1', [server_id, at])
    },
    async list() {
      const rows = await db.all(`SELECT ${COLUMNS} FROM servers ORDER BY started_at, server_id`)
      return rows.map((row) => decodeRow<ServerRecord>(row, ['graphs']))
    },
    async remove(server_id) {
      await db.run('DELETE FROM servers WHERE server_id = $1', [server_id])
    },
  }
}
