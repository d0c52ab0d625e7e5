/**
 * The tables `assistants`, whose search is in another file, and `assistant_versions`: their past and present contents.
 */
import type { Assistant, AssistantStore } from '../../core/agent/assistant.ts'
import type { Db, SqlValue } from '../db/db.ts'
import { table } from '../db/table.ts'
import {
  ASSISTANTS,
  addAssistantLabels,
  createAssistantSearch,
  foldName,
} from './assistant-search.ts'
import { metadataConditions } from './metadata-condition.ts'

const VERSIONS = table<Assistant>(
  'assistant_versions',
  'assistant_id, version, graph_id, config, context, metadata, name, description, created_at',
  { json: ['config', 'context', 'metadata'], fixed: ['created_at'] },
)

const GET = `SELECT ${ASSISTANTS.columns} FROM assistants WHERE assistant_id = $1`

const OF_ASSISTANT = `
SELECT ${VERSIONS.columns}, created_at AS updated_at FROM assistant_versions WHERE assistant_id = $1`

const LAST_VERSION = `
SELECT coalesce(max(version), 0) AS version FROM assistant_versions WHERE assistant_id = $1`

/** `db` may be a transaction. */
export function createAssistantStore(db: Db): AssistantStore {
  const versions = VERSIONS.on(db)
  return {
    get: (assistant_id) => ASSISTANTS.on(db).get(GET, [assistant_id]),
    insert: (assistant) => db.transaction((tx) => insert(tx, assistant), []),
    update: (assistant) => db.transaction((tx) => update(tx, assistant), []),
    async delete(assistant_id) {
      const sql = 'DELETE FROM assistants WHERE assistant_id = $1'
      return (await db.run(sql, [assistant_id])) === 1
    },
    ...createAssistantSearch(db),
    putVersion: (assistant) => putVersion(db, assistant),
    getVersion: (assistant_id, version) =>
      versions.get(`${OF_ASSISTANT} AND version = $2`, [assistant_id, version]),
    async lastVersion(assistant_id) {
      const row = await db.get<{ version: number }>(LAST_VERSION, [assistant_id])
      return Number(row?.version)
    },
    versions(assistant_id, { metadata = {}, limit, offset }) {
      const params: SqlValue[] = [assistant_id]
      const conditions = metadataConditions(db.json, { metadata }, params)
      const where = [OF_ASSISTANT, ...conditions].join(' AND ')
      const limits = `LIMIT $${params.push(limit)} OFFSET $${params.push(offset)}`
      return versions.all(`${where} ORDER BY version DESC ${limits}`, params)
    },
  }
}

async function insert(tx: Db, assistant: Assistant): Promise<boolean> {
  const stored = { ...assistant, folded_name: foldName(assistant.name) }
  const isNew = await ASSISTANTS.on(tx).insert(stored, 'ON CONFLICT (assistant_id) DO NOTHING')
  if (!isNew) return false
  await addAssistantLabels(tx, assistant)
  await putVersion(tx, assistant)
  return true
}

async function update(tx: Db, assistant: Assistant): Promise<void> {
  const { assistant_id, name } = assistant
  await ASSISTANTS.on(tx).update(assistant_id, { ...assistant, folded_name: foldName(name) })
  await tx.run('DELETE FROM assistant_labels WHERE assistant_id = $1', [assistant_id])
  await addAssistantLabels(tx, assistant)
}

async function putVersion(db: Db, assistant: Assistant): Promise<void> {
  const version = { ...assistant, created_at: assistant.updated_at }
  await VERSIONS.on(db).put(version, 'assistant_id, version')
}
