/** The `oauth_connections` table. */
import type { AgentConnection, AgentConnectionStore } from '../../../core/oauth/connection.ts'
import type { Db } from '../../db/db.ts'

const COLUMNS = 'id, workspace_id, agent_id, oauth_token_id, created_by, created_at'

// Sets what is there already, so that the row is answered.
const PUT = `
INSERT INTO oauth_connections (${COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (workspace_id, agent_id, oauth_token_id)
DO UPDATE SET oauth_token_id = excluded.oauth_token_id
RETURNING ${COLUMNS}`

const LIST = `
SELECT ${COLUMNS} FROM oauth_connections WHERE workspace_id = $1 AND agent_id = $2
ORDER BY created_at, id`

/** On `db`, which may be a transaction. */
export function createAgentConnectionStore(db: Db): AgentConnectionStore {
  return {
    put: async (connection) => {
      const { id, workspace_id, agent_id, oauth_token_id, created_by, created_at } = connection
      const params = [id, workspace_id, agent_id, oauth_token_id, created_by, created_at]
      return { ...connection, ...(await db.get<AgentConnection>(PUT, params)) }
    },
    list: async (workspace_id, agent_id) => {
      const rows = await db.all<AgentConnection>(LIST, [workspace_id, agent_id])
      return rows.map((row) => ({ ...row }))
    },
    delete: async (id) => {
      await db.run('DELETE FROM oauth_connections WHERE id = $1', [id])
    },
  }
}
