/** The `push_configs` table. */
import type { PushConfig, PushConfigStore } from '../../core/agent/push-config.ts'
import type { Db } from '../db/db.ts'
import { decodeRow, encodeJson } from '../db/json-columns.ts'

const COLUMNS = 'task_id, config_id, thread_id, version, created_at, config'

const PUT = `
INSERT INTO push_configs (${COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (task_id, config_id) DO UPDATE
SET version = excluded.version, config = excluded.config`

const LIST = `
SELECT ${COLUMNS} FROM push_configs WHERE task_id = $1 ORDER BY created_at, config_id`

const DELETE = 'DELETE FROM push_configs WHERE task_id = $1 AND config_id = $2'

export function createPushConfigStore(db: Db): PushConfigStore {
  return {
    async put({ task_id, config_id, thread_id, version, created_at, config }) {
      const values = [task_id, config_id, thread_id, version, created_at, encodeJson(config)]
      await db.run(PUT, values)
    },
    async list(task_id) {
      const rows = await db.all(LIST, [task_id])
      return rows.map((row) => decodeRow<PushConfig>(row, ['config']))
    },
    async delete(task_id, config_id) {
      return (await db.run(DELETE, [task_id, config_id])) === 1
    },
  }
}
