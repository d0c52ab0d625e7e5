/** The `oauth_tokens` table. Access and refresh tokens are encrypted, each bound to its own place. */
import type { OAuthToken, OAuthTokenStore } from '../../core/people/oauth-token.ts'
import type { SecretBox } from '../../core/secret-box.ts'
import type { Db, SqlValue } from '../db/db.ts'
import { PLACES } from './sealed-columns.ts'

type OAuthTokenRow = Omit<OAuthToken, 'scopes' | 'is_default'> & {
  scopes: string
  is_default: number
}

const COLUMNS = `id, workspace_id, user_id, provider_id, provider_account_label, access_token,
  refresh_token, scopes, expires_at, is_default, created_at, updated_at`

const INSERT = `
INSERT INTO oauth_tokens (${COLUMNS})
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`

const LIST_OF = `
SELECT ${COLUMNS} FROM oauth_tokens
WHERE workspace_id = $1 AND user_id = $2
ORDER BY created_at, id`

const DELETE_OF = `
DELETE FROM oauth_tokens WHERE workspace_id = $1 AND user_id = $2 AND provider_id = $3`

/** `db` may be a transaction. */
export function createOAuthTokenStore(db: Db, box: SecretBox): OAuthTokenStore {
  return {
    insert: async (token) => {
      await db.run(INSERT, toParams(token, box))
    },
    listOf: async ({ workspace_id, user_id }) => {
      const rows = await db.all<OAuthTokenRow>(LIST_OF, [workspace_id, user_id])
      return rows.map((row) => toToken(row, box))
    },
    deleteOf: ({ workspace_id, user_id }, provider_id) =>
      db.run(DELETE_OF, [workspace_id, user_id, provider_id]),
  }
}

function toParams(token: OAuthToken, box: SecretBox): SqlValue[] {
  const { id, refresh_token } = token
  return [
    id,
    token.workspace_id,
    token.user_id,
    token.provider_id,
    token.provider_account_label,
    box.seal(token.access_token, PLACES.accessToken(id)),
    refresh_token === null ? null : box.seal(refresh_token, PLACES.refreshToken(id)),
    JSON.stringify(token.scopes),
    token.expires_at,
    Number(token.is_default),
    token.created_at,
    token.updated_at,
  ]
}

function toToken(row: OAuthTokenRow, box: SecretBox): OAuthToken {
  const { id, refresh_token } = row
  return {
    ...row,
    access_token: box.open(row.access_token, PLACES.accessToken(id)),
    refresh_token: refresh_token === null ? null : box.open(refresh_token, PLACES.refreshToken(id)),
    scopes: JSON.parse(row.scopes),
    is_default: row.is_default === 1,
  }
}
