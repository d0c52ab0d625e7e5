/** The `oauth_connections` table. */
import type { AgentConnection, AgentConnectionStore } from '../../../core/oauth/connection.ts'
import { DEPLOYMENT_USER } from '../../../core/oauth/token.ts'
import type { Db } from '../../db/db.ts'
import { table } from '../../db/table.ts'

const CONNECTIONS = table<AgentConnection>(
  'oauth_connections',
  'id, workspace_id, agent_id, oauth_token_id, created_by, created_at',
)

// Sets the same value again, so that the row is returned.
const PUT = `
INSERT INTO oauth_connections (${CONNECTIONS.columns}) VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (workspace_id, agent_id, oauth_token_id)
DO UPDATE SET oauth_token_id = excluded.oauth_token_id
RETURNING ${CONNECTIONS.columns}`

const GET = `SELECT ${CONNECTIONS.columns} FROM oauth_connections WHERE id = $1`

const JOINED = 'oauth_connections AS c JOIN oauth_tokens AS t ON t.id = c.oauth_token_id'
const ALL = CONNECTIONS.columns
  .split(', ')
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
  const connections = CONNECTIONS.on(db)
  return {
    put: async (connection) => {
      const { id, workspace_id, agent_id, oauth_token_id, created_by, created_at } = connection
      const params = [id, workspace_id, agent_id, oauth_token_id, created_by, created_at]
      return (await connections.get(PUT, params)) ?? connection
    },
    listOfUser: ({ workspace_id, user_id, agent_id, limit, offset }) =>
      connections.all(LIST_OF_USER, [workspace_id, agent_id, user_id, limit, offset]),
    listTokenIds: async ({ workspace_id, user_id, end_user_id }, { provider_key, agent_id }) => {
      const params = [workspace_id, user_id, end_user_id, provider_key, agent_id]
      return (await db.all<{ id: string }>(LIST_TOKEN_IDS, params)).map(({ id }) => id)
    },
    get: (id) => connections.get(GET, [id]),
    delete: (id) => db.runAhead('DELETE FROM oauth_connections WHERE id = $1', [id]),
  }
}
