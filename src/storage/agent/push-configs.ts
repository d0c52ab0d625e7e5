/** The `push_configs` table. Tokens and credentials are encrypted. */
import type { PushConfig, PushConfigStore } from '../../core/agent/push-config.ts'
import type { CredentialBox } from '../../core/secret-box.ts'
import type { Db } from '../db/db.ts'
import { table } from '../db/table.ts'
import { openMembers, PLACES, sealMembers } from './credentials.ts'

const CONFIGS = table<PushConfig>(
  'push_configs',
  'task_id, config_id, thread_id, version, created_at, config',
  { json: ['config'], fixed: ['thread_id', 'created_at'] },
)

const LIST = `
SELECT ${CONFIGS.columns} FROM push_configs WHERE task_id = $1 ORDER BY created_at, config_id`

const DELETE = 'DELETE FROM push_configs WHERE task_id = $1 AND config_id = $2'

const SECRET = ['token', 'authentication']

export function createPushConfigStore(db: Db, box?: CredentialBox): PushConfigStore {
  const configs = CONFIGS.on(db)
  return {
    async put(config) {
      const place = PLACES.pushConfig(config.task_id, config.config_id)
      const isSecret = (name: string) => SECRET.includes(name)
      const stored = { ...config, config: sealMembers(box, config.config, { isSecret, place }) }
      await configs.put(stored, 'task_id, config_id')
    },
    async list(task_id) {
      return (await configs.all(LIST, [task_id])).map((stored) => opened(stored, box))
    },
    async delete(task_id, config_id) {
      return (await db.run(DELETE, [task_id, config_id])) === 1
    },
  }
}

function opened(stored: PushConfig, box: CredentialBox | undefined): PushConfig {
  const place = PLACES.pushConfig(stored.task_id, stored.config_id)
  const { value: config, ...problem } = openMembers(box, stored.config, place)
  return { ...stored, config, ...problem }
}
