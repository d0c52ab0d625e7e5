/** The `oauth_token_events` table. */
import { DEPLOYMENT_USER } from '../../../core/oauth/token.ts'
import {
  MOST_EVENTS,
  type OAuthTokenEvent,
  type OAuthTokenEventStore,
} from '../../../core/oauth/token-event.ts'
import type { Db } from '../../db/db.ts'
import { table } from '../../db/table.ts'

const EVENTS = table<OAuthTokenEvent>(
  'oauth_token_events',
  `id, workspace_id, user_id, end_user_id, provider_id, agent_id, event_type, reason, source,
  provider_account_label, scopes, created_at`,
  { json: ['scopes'] },
)

const FORGET_OLDEST = `
DELETE FROM oauth_token_events
WHERE workspace_id = $1 AND user_id = $2 AND end_user_id = $3 AND seq <= (
  SELECT seq FROM oauth_token_events
  WHERE workspace_id = $1 AND user_id = $2 AND end_user_id = $3
  ORDER BY seq DESC LIMIT 1 OFFSET ${MOST_EVENTS})`

const LIST_OF_USER = `
SELECT ${EVENTS.columns} FROM oauth_token_events
WHERE workspace_id = $1
  AND (user_id = $2 OR (end_user_id = $2 AND user_id LIKE '${DEPLOYMENT_USER}%'))
  AND (CAST($3 AS TEXT) IS NULL OR provider_id = $3)
ORDER BY seq DESC LIMIT $4`

/** On `db`, which may be a transaction. */
export function createOAuthTokenEventStore(db: Db): OAuthTokenEventStore {
  const events = EVENTS.on(db)
  return {
    append: async (event) => {
      await events.add(event)
      await db.run(FORGET_OLDEST, [event.workspace_id, event.user_id, event.end_user_id])
    },
    listOfUser: ({ workspace_id, user_id, provider_id, limit }) =>
      events.all(LIST_OF_USER, [workspace_id, user_id, provider_id ?? null, limit]),
    forget: (before) =>
      db.runAhead('DELETE FROM oauth_token_events WHERE created_at < $1', [before]),
  }
}
