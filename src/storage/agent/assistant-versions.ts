/** The `assistant_versions` table: the past and present contents of assistants. */
import type { Assistant, AssistantStore } from '../../core/agent/assistant.ts'
import type { Db, SqlValue } from '../db/db.ts'
import { decodeRow, encodeJson } from '../db/json-columns.ts'
import { metadataConditions } from './metadata-condition.ts'

type AssistantVersions = Pick<
  AssistantStore,
  'putVersion' | 'getVersion' | 'lastVersion' | 'versions'
>

const COLUMNS = `assistant_id, version, graph_id, config, context, metadata, name, description,
  created_at`

const SELECT = `SELECT ${COLUMNS}, created_at AS updated_at FROM assistant_versions`

const JSON_COLUMNS = ['config', 'context', 'metadata'] as const

const PUT = `
INSERT INTO assistant_versions (${COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
ON CONFLICT (assistant_id, version) DO UPDATE
SET graph_id = excluded.graph_id, config = excluded.config, context = excluded.context,
  metadata = excluded.metadata, name = excluded.name, description = excluded.description`

const LAST = `
SELECT coalesce(max(version), 0) AS version FROM assistant_versions WHERE assistant_id = $1`

export function createAssistantVersions(db: Db): AssistantVersions {
  return {
    async putVersion(assistant) {
      await db.run(PUT, [
        assistant.assistant_id,
        assistant.version,
        assistant.graph_id,
        encodeJson(assistant.config),
        encodeJson(assistant.context),
        encodeJson(assistant.metadata),
        assistant.name,
        assistant.description,
        assistant.updated_at,
      ])
    },
    async getVersion(assistant_id, version) {
      const sql = `${SELECT} WHERE assistant_id = $1 AND version = $2`
      const row = await db.get(sql, [assistant_id, version])
      return row && decodeRow<Assistant>(row, JSON_COLUMNS)
    },
    async lastVersion(assistant_id) {
      const row = await db.get<{ version: number }>(LAST, [assistant_id])
      return Number(row?.version)
    },
    async versions(assistant_id, { metadata = {}, limit, offset }) {
      const params: SqlValue[] = [assistant_id]
      const conditions = metadataConditions(db.json, { metadata }, params)
      const where = ['assistant_id = $1', ...conditions].join(' AND ')
      const limits = `LIMIT $${params.push(limit)} OFFSET $${params.push(offset)}`
      const sql = `${SELECT} WHERE ${where} ORDER BY version DESC ${limits}`
      const rows = await db.all<object>(sql, params)
      return rows.map((row) => decodeRow<Assistant>(row, JSON_COLUMNS))
    },
  }
}
