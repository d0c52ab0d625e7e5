/** The `oauth_connections` table. */
import type { AgentConnection, AgentConnectionStore } from '../../../core/oauth/connection.ts'
import { DEPLOYMENT_USER } from '../../../core/oauth/token.ts'
import type { Db } from '../../db/db.ts'

const COLUMNS = 'id, workspace_id, agent_id, oauth_token_id, created_by, created_at'

// Sets what is there already, so that the row is answered.
const PUT = `
INSERT INTO oauth_connections (${COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (workspace_id, agent_id, oauth_token_id)
DO UPDATE SET oauth_token_id = excluded.oauth_token_id
RETURNING ${COLUMNS}`

const GET = `SELECT ${COLUMNS} FROM oauth_connections WHERE id = $1`

const JOINED = 'oauth_connections AS c JOIN oauth_tokens AS t ON t.id = c.oauth_token_id'
const ALL = COLUMNS.split(', ')
  .map((column) => `c.${column}`)
  .join(', ')

const LIST_OF_USER = `
SELECT ${ALL} FROM ${JOINED}
WHERE c.workspace_id = $1 AND c.agent_id = $2
  AND (t.user_id = $3 OR (t.end_user_id = $3 AND t.user_id LIKE '${DEPLOYMENT_USER}%'))
ORDER BY c.created_at, c.id LIMIT $4 OFFSET $5`

const LIST_TOKEN_IDS = `
SELECT t.id AS id FROM ${JOINED}
WHERE t.workspace_id = $1 AND t.user_id = $2 AND t.end_user_id = $3 AND t.provider_key = $4
  AND c.workspace_id = $1 AND c.agent_id = $5`

/** On `db`, which may be a transaction. */
export function createAgentConnectionStore(db: Db): AgentConnectionStore {
  return {
    put: async (connection) => {
      const { id, workspace_id, agent_id, oauth_token_id, created_by, created_at } = connection
      const params = [id, workspace_id, agent_id, oauth_token_id, created_by, created_at]
      return { ...connection, ...(await db.get<AgentConnection>(PUT, params)) }
    },
    listOfUser: async ({ workspace_id, user_id, agent_id, limit, offset }) => {
      const params = [workspace_id, agent_id, user_id, limit, offset]
      const rows = await db.all<AgentConnection>(LIST_OF_USER, params)
      return rows.map((row) => ({ ...row }))
    },
    listTokenIds: async ({ workspace_id, user_id, end_user_id }, { provider_key, agent_id }) => {
      const params = [workspace_id, user_id, end_user_id, provider_key, agent_id]
      return (await db.all<{ id: string }>(LIST_TOKEN_IDS, params)).map(({ id }) => id)
    },
    get: async (id) => {
      const row = await db.get<AgentConnection>(GET, [id])
      return row && { ...row }
    },
    delete: async (id) => {
      await db.run('DELETE FROM oauth_connections WHERE id = $1', [id])
    },
  }
}
