/** The `push_configs` table. Tokens and credentials are encrypted. */
import type { PushConfig, PushConfigStore } from '../../core/agent/push-config.ts'
import type { CredentialBox } from '../../core/secret-box.ts'
import type { Db } from '../db/db.ts'
import { decodeRow, encodeJson } from '../db/json-columns.ts'
import { openMembers, PLACES, sealMembers } from './credentials.ts'

const COLUMNS = 'task_id, config_id, thread_id, version, created_at, config'

const PUT = `
INSERT INTO push_configs (${COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (task_id, config_id) DO UPDATE
SET version = excluded.version, config = excluded.config`

const LIST = `
SELECT ${COLUMNS} FROM push_configs WHERE task_id = $1 ORDER BY created_at, config_id`

const DELETE = 'DELETE FROM push_configs WHERE task_id = $1 AND config_id = $2'

const SECRET = ['token', 'authentication']

export function createPushConfigStore(db: Db, box?: CredentialBox): PushConfigStore {
  return {
    async put({ task_id, config_id, thread_id, version, created_at, config }) {
      const place = PLACES.pushConfig(task_id, config_id)
      const isSecret = (name: string) => SECRET.includes(name)
      const stored = encodeJson(sealMembers(box, config, { isSecret, place }))
      await db.run(PUT, [task_id, config_id, thread_id, version, created_at, stored])
    },
    async list(task_id) {
      const rows = await db.all(LIST, [task_id])
      return rows.map((row) => toConfig(row, box))
    },
    async delete(task_id, config_id) {
      return (await db.run(DELETE, [task_id, config_id])) === 1
    },
  }
}

function toConfig(row: object, box: CredentialBox | undefined): PushConfig {
  const record = decodeRow<PushConfig>(row, ['config'])
  const place = PLACES.pushConfig(record.task_id, record.config_id)
  const { value: config, ...problem } = openMembers(box, record.config, place)
  return { ...record, config, ...problem }
}
