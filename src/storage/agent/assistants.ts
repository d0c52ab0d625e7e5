/** The `assistants` table. Its search and its versions are in other files. */
import type { Assistant, AssistantStore } from '../../core/agent/assistant.ts'
import type { Db, SqlValue } from '../db/db.ts'
import { encodeJson } from '../db/json-columns.ts'
import {
  ASSISTANT_COLUMNS,
  addAssistantLabels,
  createAssistantSearch,
  foldName,
  GET_ASSISTANT,
  toAssistant,
} from './assistant-search.ts'
import { createAssistantVersions } from './assistant-versions.ts'

const INSERT = `
INSERT INTO assistants (${ASSISTANT_COLUMNS}, folded_name)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
ON CONFLICT (assistant_id) DO NOTHING`

const UPDATE = `
UPDATE assistants
SET graph_id = $2, config = $3, context = $4, metadata = $5, name = $6, description = $7,
  version = $8, updated_at = $9, folded_name = $10
WHERE assistant_id = $1`

/** `db` may be a transaction. */
export function createAssistantStore(db: Db): AssistantStore {
  return {
    async get(assistant_id) {
      const row = await db.get<Record<string, unknown>>(GET_ASSISTANT, [assistant_id])
      return row && toAssistant(row)
    },
    insert: (assistant) => db.transaction((tx) => insert(tx, assistant), []),
    update: (assistant) => db.transaction((tx) => update(tx, assistant), []),
    async delete(assistant_id) {
      const sql = 'DELETE FROM assistants WHERE assistant_id = $1'
      return (await db.run(sql, [assistant_id])) === 1
    },
    ...createAssistantSearch(db),
    ...createAssistantVersions(db),
  }
}

async function insert(tx: Db, assistant: Assistant): Promise<boolean> {
  const { assistant_id, created_at, updated_at, version } = assistant
  const params = [assistant_id, ...contentOf(assistant), version, created_at, updated_at]
  const inserted = await tx.run(INSERT, [...params, foldName(assistant.name)])
  if (inserted === 0) return false
  await addAssistantLabels(tx, assistant)
  await createAssistantVersions(tx).putVersion(assistant)
  return true
}

async function update(tx: Db, assistant: Assistant): Promise<void> {
  const { assistant_id, updated_at, version } = assistant
  const params = [assistant_id, ...contentOf(assistant), version, updated_at]
  await tx.run(UPDATE, [...params, foldName(assistant.name)])
  await tx.run('DELETE FROM assistant_labels WHERE assistant_id = $1', [assistant_id])
  await addAssistantLabels(tx, assistant)
}

function contentOf(assistant: Assistant): SqlValue[] {
  return [
    assistant.graph_id,
    encodeJson(assistant.config),
    encodeJson(assistant.context),
    encodeJson(assistant.metadata),
    assistant.name,
    assistant.description,
  ]
}
