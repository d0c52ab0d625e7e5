/** The `oauth_tokens` table. Access and refresh tokens are sealed, each for its own place. */
import {
  DEPLOYMENT_USER,
  type OAuthToken,
  type OAuthTokenPatch,
  type OAuthTokenStore,
} from '../../../core/oauth/token.ts'
import type { SecretBox } from '../../../core/secret-box.ts'
import type { Db, SqlValue } from '../../db/db.ts'
import { decodeRow } from '../../db/json-columns.ts'
import { PLACES } from '../sealed-columns.ts'
import { placeholders, toSql, withTruths } from './columns.ts'

const COLUMNS = [
  'id',
  'workspace_id',
  'user_id',
  'end_user_id',
  'provider_key',
  'provider_id',
  'provider_account_label',
  'account_id',
  'access_token',
  'refresh_token',
  'scopes',
  'asked_scopes',
  'expires_at',
  'status',
  'is_default',
  'metadata',
  'version',
  'retry_at',
  'refresh_failures',
  'created_at',
  'updated_at',
] as const satisfies (keyof OAuthToken)[]

const JSON_COLUMNS = ['scopes', 'asked_scopes', 'metadata'] as const
const OWNER = 'workspace_id = $1 AND user_id = $2 AND end_user_id = $3 AND provider_key = $4'

const SELECT = `SELECT ${COLUMNS.join(', ')} FROM oauth_tokens`
const GET = `${SELECT} WHERE id = $1`
const LIST_OF = `${SELECT} WHERE ${OWNER} ORDER BY created_at, id`
const LIST_OF_PROVIDER = `
${SELECT} WHERE workspace_id = $1 AND provider_key = $2 ORDER BY created_at, id`
const LIST_OF_USER = `
${SELECT}
WHERE workspace_id = $1
  AND (user_id = $2 OR (end_user_id = $2 AND user_id LIKE '${DEPLOYMENT_USER}%'))
  AND (CAST($3 AS TEXT) IS NULL OR provider_id = $3)
ORDER BY created_at, id`

const INSERT = `
INSERT INTO oauth_tokens (${COLUMNS.join(', ')}) VALUES (${placeholders(COLUMNS)})`

const FIXED = [
  'id',
  'workspace_id',
  'user_id',
  'end_user_id',
  'provider_key',
  'provider_id',
  'created_at',
]
const CHANGEABLE = COLUMNS.filter((column) => !FIXED.includes(column))
const SET = CHANGEABLE.map((column, index) => `${column} = $${index + 3}`).join(', ')
const WHERE_HELD = 'WHERE id = $1 AND (CAST($2 AS TEXT) IS NULL OR refresh_holder = $2)'
const UPDATE = `UPDATE oauth_tokens SET ${SET} ${WHERE_HELD}`
const UPDATE_AND_END_CLAIM = `
UPDATE oauth_tokens SET ${SET}, refresh_holder = NULL, refresh_until = NULL ${WHERE_HELD}`

const CLEAR_DEFAULT = `
UPDATE oauth_tokens SET is_default = 0 WHERE ${OWNER} AND id <> $5 AND is_default = 1`

const CLAIM = `
UPDATE oauth_tokens SET refresh_holder = $3, refresh_until = $5
WHERE id = $1 AND version = $2 AND status = 'active'
  AND (refresh_until IS NULL OR refresh_until <= $4)`

/** On `db`, which may be a transaction. */
export function createOAuthTokenStore(db: Db, box: SecretBox): OAuthTokenStore {
  const list = async (sql: string, params: SqlValue[]) =>
    (await db.all<object>(sql, params)).map((row) => toToken(row, box))
  /** `holder`: only where the claim is theirs. */
  const update = (id: string, patch: OAuthTokenPatch, holder: string | null) =>
    db.transaction(async (tx) => {
      const row = await tx.get<object>(GET + tx.rowLocks.wait, [id])
      if (!row) return false
      const present = toToken(row, box)
      const version = present.version + Number(patch.access_token !== undefined)
      const changed = { ...present, ...patch, version }
      // A new name leaves the claim to who is refreshing the token at this moment.
      const isEnd = holder !== null || 'access_token' in patch || 'status' in patch
      const sql = isEnd ? UPDATE_AND_END_CLAIM : UPDATE
      return (await tx.run(sql, [id, holder, ...paramsOf(changed, CHANGEABLE, box)])) === 1
    }, [])
  return {
    insert: async (token) => {
      await db.run(INSERT, paramsOf(token, COLUMNS, box))
    },
    get: async (id) => {
      const row = await db.get<object>(GET, [id])
      return row && toToken(row, box)
    },
    listOf: ({ workspace_id, user_id, end_user_id }, provider_key) =>
      list(LIST_OF, [workspace_id, user_id, end_user_id, provider_key]),
    listOfUser: ({ workspace_id, user_id }, provider_id) =>
      list(LIST_OF_USER, [workspace_id, user_id, provider_id ?? null]),
    listOfProvider: (workspace_id, provider_key) =>
      list(LIST_OF_PROVIDER, [workspace_id, provider_key]),
    update: async (id, patch) => {
      await update(id, patch, null)
    },
    clearDefault: async ({ workspace_id, user_id, end_user_id, provider_key, id }) => {
      await db.run(CLEAR_DEFAULT, [workspace_id, user_id, end_user_id, provider_key, id])
    },
    delete: async (id) => (await db.run('DELETE FROM oauth_tokens WHERE id = $1', [id])) === 1,
    claimRefresh: async ({ id, version, holder, now, until }) =>
      (await db.run(CLAIM, [id, version, holder, now, until])) === 1,
    endRefresh: ({ id, holder }, patch) => update(id, patch, holder),
  }
}

function paramsOf(
  token: OAuthToken,
  columns: readonly (keyof OAuthToken)[],
  box: SecretBox,
): SqlValue[] {
  const { id, access_token, refresh_token } = token
  const sealed: Partial<Record<keyof OAuthToken, SqlValue>> = {
    access_token: box.seal(access_token, PLACES.accessToken(id)),
    refresh_token: refresh_token === null ? null : box.seal(refresh_token, PLACES.refreshToken(id)),
  }
  return columns.map((column) => (column in sealed ? sealed[column] : toSql(token[column])) ?? null)
}

function toToken(row: object, box: SecretBox): OAuthToken {
  const token = withTruths(decodeRow<OAuthToken>(row, JSON_COLUMNS), ['is_default'])
  const { id, refresh_token } = token
  return {
    ...token,
    version: Number(token.version),
    retry_at: token.retry_at === null ? null : Number(token.retry_at),
    refresh_failures: Number(token.refresh_failures),
    access_token: box.open(token.access_token, PLACES.accessToken(id)),
    refresh_token: refresh_token === null ? null : box.open(refresh_token, PLACES.refreshToken(id)),
  }
}
