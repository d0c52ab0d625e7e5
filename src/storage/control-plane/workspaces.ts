/** The `workspaces` table. */
import type { Workspace, WorkspaceStore } from '../../core/people/workspace.ts'
import type { Db } from '../db/db.ts'
import { table } from '../db/table.ts'

const WORKSPACES = table<Workspace>('workspaces', 'id, name, created_at')

const GET = `SELECT ${WORKSPACES.columns} FROM workspaces WHERE id = $1`
const LIST = `
SELECT ${WORKSPACES.columns} FROM workspaces ORDER BY created_at, id LIMIT $1 OFFSET $2`

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
  const workspaces = WORKSPACES.on(db)
  return {
    insert: (workspace) => workspaces.add(workspace),
    get: (id) => workspaces.get(GET, [id]),
    list: ({ limit, offset }) => workspaces.all(LIST, [limit, offset]),
    rename: (id, name) => workspaces.update(id, { name }),
    delete: (id) =>
      db.transaction(async (tx) => {
        for (const sql of DELETE) await tx.run(sql, [id])
      }),
  }
}
