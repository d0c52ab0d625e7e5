/**
 * The `oauth_tokens` table. Access and refresh tokens are sealed, each for its own place, and opened where
 * somebody asks for them: most who read a token want to know of it only.
 */
import {
  DEPLOYMENT_USER,
  type GrantHolder,
  type OAuthToken,
  type OAuthTokenPatch,
  type OAuthTokenStore,
} from '../../../core/oauth/token.ts'
import type { SecretBox } from '../../../core/secret-box.ts'
import type { Db, SqlValue } from '../../db/db.ts'
import { decodeRow } from '../../db/json-columns.ts'
import { PLACES } from '../sealed-columns.ts'
import { holderParams, OF_HOLDER, placeholders, toSql, withTruths } from './columns.ts'

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
const OF_USER = `workspace_id = $1
  AND (user_id = $2 OR (end_user_id = $2 AND user_id LIKE '${DEPLOYMENT_USER}%'))`

const SELECT = `SELECT ${COLUMNS.join(', ')} FROM oauth_tokens`
const GET = `${SELECT} WHERE id = $1`
const LIST_OF = `${SELECT} WHERE ${OWNER} ORDER BY created_at, id`
const LIST_OF_PROVIDER = `
${SELECT} WHERE workspace_id = $1 AND provider_key = $2
ORDER BY created_at, id LIMIT $3 OFFSET $4`
const LIST_OF_USER = `
${SELECT} WHERE ${OF_USER} AND (CAST($3 AS TEXT) IS NULL OR provider_id = $3)
ORDER BY created_at, id LIMIT $4 OFFSET $5`
const LIST_OF_HOLDER = `${SELECT} WHERE ${OF_HOLDER} ORDER BY created_at, id LIMIT $4`
const HAS_ACTIVE = `
SELECT 1 FROM oauth_tokens WHERE ${OF_USER} AND provider_key = $3 AND status = 'active' LIMIT 1`

const hasActiveOfProvidersSql = ({ json }: Db) => `
SELECT 1 FROM oauth_tokens
WHERE workspace_id = $1 AND provider_key IN ${json.texts('$2')} AND status = 'active' LIMIT 1`

// It begins with the keys, of which there are few, and finds the rest by the owner.
const HELD_BY_KEY = (table: string) => `
EXISTS (SELECT 1 FROM ${table} AS held
  WHERE held.workspace_id = lost.workspace_id AND held.user_id = lost.id)`
const LIST_LOST_HOLDERS = `
SELECT workspace_id, id AS user_id FROM api_keys AS lost
WHERE (revoked_at IS NOT NULL OR expires_at <= $1)
  AND (${HELD_BY_KEY('oauth_tokens')} OR ${HELD_BY_KEY('oauth_consents')})
LIMIT $2`

const LIST_IDLE = `
${SELECT}
WHERE status = 'active' AND refresh_token IS NOT NULL AND expires_at < $1 AND updated_at < $2
  AND (retry_at IS NULL OR retry_at <= $3) AND refresh_failures < 5
ORDER BY updated_at LIMIT $4`

const INSERT = `
INSERT INTO oauth_tokens (${COLUMNS.join(', ')}) VALUES (${placeholders(COLUMNS)})`

const FIXED = [
  'id',
  'workspace_id',
  'user_id',
  'end_user_id',
  'provider_key',
  'provider_id',
  'version',
  'created_at',
]
const CHANGEABLE = COLUMNS.filter((column) => !FIXED.includes(column))

const CLEAR_DEFAULT = `
UPDATE oauth_tokens SET is_default = 0 WHERE ${OWNER} AND id <> $5 AND is_default = 1`

const FORGET_FAILURES = `
UPDATE oauth_tokens SET retry_at = NULL, refresh_failures = 0
WHERE provider_key = $1 AND retry_at IS NOT NULL`

const claimSql = ({ nowMs }: Db) => `
UPDATE oauth_tokens SET refresh_holder = $3, refresh_until = ${nowMs} + $4
WHERE id = $1 AND version = $2 AND status = 'active'
  AND (refresh_until IS NULL OR refresh_until <= ${nowMs})`

/** On `db`, which may be a transaction. */
export function createOAuthTokenStore(db: Db, box: SecretBox): OAuthTokenStore {
  const list = async (sql: string, params: SqlValue[]) =>
    (await db.all<object>(sql, params)).map((row) => toToken(row, box))
  const has = async (sql: string, params: SqlValue[]) => (await db.get(sql, params)) !== undefined
  /** `holder`: only where the claim is theirs. */
  const update = async (id: string, patch: OAuthTokenPatch, holder: string | null) => {
    const columns = CHANGEABLE.filter((column) => column in patch)
    const sql = updateSql(columns, holder !== null || 'access_token' in patch || 'status' in patch)
    return (await db.run(sql, [id, holder, ...paramsOf({ ...patch, id }, columns, box)])) === 1
  }
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
    listOfUser: ({ workspace_id, user_id, provider_id = null, limit, offset = 0 }) =>
      list(LIST_OF_USER, [workspace_id, user_id, provider_id, limit, offset]),
    hasActive: ({ workspace_id, user_id }, provider_key) =>
      has(HAS_ACTIVE, [workspace_id, user_id, provider_key]),
    listOfProvider: (workspace_id, provider_key, limit, offset = 0) =>
      list(LIST_OF_PROVIDER, [workspace_id, provider_key, limit, offset]),
    hasActiveOfProviders: (workspace_id, provider_keys) =>
      has(hasActiveOfProvidersSql(db), [workspace_id, JSON.stringify(provider_keys)]),
    listOfHolder: (holder, limit) => list(LIST_OF_HOLDER, [...holderParams(holder), limit]),
    listLostHolders: async (now, limit) => {
      const rows = await db.all<Required<Omit<GrantHolder, 'person'>>>(LIST_LOST_HOLDERS, [
        now,
        limit,
      ])
      return rows.map((row) => ({ ...row }))
    },
    listIdle: ({ now, before }, limit) => list(LIST_IDLE, [now, before, Date.parse(now), limit]),
    forgetFailures: async (provider_key) => {
      await db.run(FORGET_FAILURES, [provider_key])
    },
    update: async (id, patch) => {
      await update(id, patch, null)
    },
    clearDefault: async ({ workspace_id, user_id, end_user_id, provider_key, id }) => {
      await db.run(CLEAR_DEFAULT, [workspace_id, user_id, end_user_id, provider_key, id])
    },
    delete: async (id) => (await db.run('DELETE FROM oauth_tokens WHERE id = $1', [id])) === 1,
    claimRefresh: async ({ id, version, holder, forMs }) =>
      (await db.run(claimSql(db), [id, version, holder, forMs])) === 1,
    endRefresh: ({ id, holder }, patch) => update(id, patch, holder),
  }
}

/** A new name leaves the claim to who is refreshing the token at this moment. */
function updateSql(columns: readonly string[], isEndOfClaim: boolean): string {
  const changes = columns.map((column, index) => `${column} = $${index + 3}`)
  if (columns.includes('access_token')) changes.push('version = version + 1')
  if (isEndOfClaim) changes.push('refresh_holder = NULL', 'refresh_until = NULL')
  return `UPDATE oauth_tokens SET ${changes.join(', ')}
WHERE id = $1 AND (CAST($2 AS TEXT) IS NULL OR refresh_holder = $2)`
}

function paramsOf(
  token: Partial<OAuthToken> & { id: string },
  columns: readonly (keyof OAuthToken)[],
  box: SecretBox,
): SqlValue[] {
  const { id } = token
  return columns.map((column) => {
    if (column === 'access_token') return box.seal(token[column] ?? '', PLACES.accessToken(id))
    if (column !== 'refresh_token') return toSql(token[column])
    const refresh_token = token[column] ?? null
    return refresh_token === null ? null : box.seal(refresh_token, PLACES.refreshToken(id))
  })
}

function toToken(row: object, box: SecretBox): OAuthToken {
  const token = withTruths(decodeRow<OAuthToken>(row, JSON_COLUMNS), ['is_default'])
  const { id, access_token, refresh_token } = token
  const opened: Partial<Record<'access' | 'refresh', string>> = {}
  return {
    ...token,
    version: Number(token.version),
    retry_at: token.retry_at === null ? null : Number(token.retry_at),
    refresh_failures: Number(token.refresh_failures),
    get access_token() {
      opened.access ??= box.open(access_token, PLACES.accessToken(id))
      return opened.access
    },
    get refresh_token() {
      if (refresh_token === null) return null
      opened.refresh ??= box.open(refresh_token, PLACES.refreshToken(id))
      return opened.refresh
    },
  }
}
