/** The `workspaces` table. */
import type { Workspace, WorkspaceStore } from '../../core/people/workspace.ts'
import type { Db } from '../db/db.ts'

const INSERT = 'INSERT INTO workspaces (id, name, created_at) VALUES ($1, $2, $3)'
const GET = 'SELECT id, name, created_at FROM workspaces WHERE id = $1'
const LIST = `
SELECT id, name, created_at FROM workspaces ORDER BY created_at, id LIMIT $1 OFFSET $2`
const RENAME = 'UPDATE workspaces SET name = $2 WHERE id = $1'

/** Deletes a workspace and everything that belongs to it, except its audit log. */
const DELETE = [
  'DELETE FROM api_keys WHERE workspace_id = $1',
  'DELETE FROM sessions WHERE workspace_id = $1',
  'DELETE FROM sign_in_codes WHERE workspace_id = $1',
  'DELETE FROM listeners WHERE workspace_id = $1',
  'DELETE FROM oauth_tokens WHERE workspace_id = $1',
  'DELETE FROM oauth_consents WHERE workspace_id = $1',
  'DELETE FROM oauth_token_events WHERE workspace_id = $1',
  'DELETE FROM oauth_providers WHERE workspace_id = $1',
  'DELETE FROM workspaces WHERE id = $1',
]

/** `db` may be a transaction. */
export function createWorkspaceStore(db: Db): WorkspaceStore {
  return {
    insert: async ({ id, name, created_at }) => {
      await db.run(INSERT, [id, name, created_at])
    },
    get: async (id) => {
      const row = await db.get<Workspace>(GET, [id])
      return row && { ...row }
    },
    list: async ({ limit, offset }) => {
      const rows = await db.all<Workspace>(LIST, [limit, offset])
      return rows.map((row) => ({ ...row }))
    },
    rename: async (id, name) => {
      await db.run(RENAME, [id, name])
    },
    delete: (id) =>
      db.transaction(async (tx) => {
        for (const sql of DELETE) await tx.run(sql, [id])
      }),
  }
}
