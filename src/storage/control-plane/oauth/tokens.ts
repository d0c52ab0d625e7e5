/**
 * The `oauth_tokens` table. Access and refresh tokens are sealed, each for its own place, and opened when they are
 * used: most readers of a row need the rest of it only.
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
import { table } from '../../db/table.ts'
import { PLACES } from '../sealed-columns.ts'

/** A condition for the rows of a holder. `holderParams` are its `$1` to `$3`. */
export const OF_HOLDER = `workspace_id = $1
  AND (CAST($2 AS TEXT) IS NULL OR user_id = $2)
  AND (CAST($3 AS TEXT) IS NULL OR user_id = $3 OR end_user_id = $3)`

export function holderParams({ workspace_id, user_id, person }: GrantHolder): SqlValue[] {
  return [workspace_id, user_id ?? null, person ?? null]
}

const TOKENS = table<OAuthToken>(
  'oauth_tokens',
  `id, workspace_id, user_id, end_user_id, provider_key, provider_id, provider_account_label,
  account_id, access_token, refresh_token, scopes, asked_scopes, expires_at, status, is_default,
  metadata, version, retry_at, refresh_failures, created_at, updated_at`,
  {
    json: ['scopes', 'asked_scopes', 'metadata'],
    booleans: ['is_default'],
    numbers: ['version', 'retry_at', 'refresh_failures'],
    sealed: { access_token: PLACES.accessToken, refresh_token: PLACES.refreshToken },
    fixed: [
      'workspace_id',
      'user_id',
      'end_user_id',
      'provider_key',
      'provider_id',
      'version',
      'created_at',
    ],
  },
)

const OWNER = 'workspace_id = $1 AND user_id = $2 AND end_user_id = $3 AND provider_key = $4'
const OF_USER = `workspace_id = $1
  AND (user_id = $2 OR (end_user_id = $2 AND user_id LIKE '${DEPLOYMENT_USER}%'))`

const SELECT = `SELECT ${TOKENS.columns} FROM oauth_tokens`
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

// It begins with the keys, which are few, and finds the rest by the owner.
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

const updateSql = (assignments: string[]) => `
UPDATE oauth_tokens SET ${assignments.join(', ')}
WHERE id = $1 AND (CAST($2 AS TEXT) IS NULL OR refresh_holder = $2)`

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
  const tokens = TOKENS.on(db, box)
  const has = async (sql: string, params: SqlValue[]) => (await db.get(sql, params)) !== undefined
  /** `holder`: only if this holder has the claim. */
  const update = async (id: string, patch: OAuthTokenPatch, holder: string | null) => {
    const { sql, params } = tokens.assignments(id, patch, 3)
    if ('access_token' in patch) sql.push('version = version + 1')
    // A new name leaves the claim to the server that is refreshing the token.
    if (holder !== null || 'access_token' in patch || 'status' in patch) {
      sql.push('refresh_holder = NULL', 'refresh_until = NULL')
    }
    return (await db.run(updateSql(sql), [id, holder, ...params])) === 1
  }
  return {
    insert: (token) => tokens.add(token),
    get: (id) => tokens.get(GET, [id]),
    listOf: ({ workspace_id, user_id, end_user_id }, provider_key) =>
      tokens.all(LIST_OF, [workspace_id, user_id, end_user_id, provider_key]),
    listOfUser: ({ workspace_id, user_id, provider_id = null, limit, offset = 0 }) =>
      tokens.all(LIST_OF_USER, [workspace_id, user_id, provider_id, limit, offset]),
    hasActive: ({ workspace_id, user_id }, provider_key) =>
      has(HAS_ACTIVE, [workspace_id, user_id, provider_key]),
    listOfProvider: (workspace_id, provider_key, limit, offset = 0) =>
      tokens.all(LIST_OF_PROVIDER, [workspace_id, provider_key, limit, offset]),
    hasActiveOfProviders: (workspace_id, provider_keys) =>
      has(hasActiveOfProvidersSql(db), [workspace_id, JSON.stringify(provider_keys)]),
    listOfHolder: (holder, limit) => tokens.all(LIST_OF_HOLDER, [...holderParams(holder), limit]),
    listLostHolders: async (now, limit) => {
      const rows = await db.all<Required<Omit<GrantHolder, 'person'>>>(LIST_LOST_HOLDERS, [
        now,
        limit,
      ])
      return rows.map((row) => ({ ...row }))
    },
    listIdle: ({ now, before }, limit) =>
      tokens.all(LIST_IDLE, [now, before, Date.parse(now), limit]),
    forgetFailures: (provider_key) => db.runAhead(FORGET_FAILURES, [provider_key]),
    update: async (id, patch) => {
      await update(id, patch, null)
    },
    clearDefault: ({ workspace_id, user_id, end_user_id, provider_key, id }) =>
      db.runAhead(CLEAR_DEFAULT, [workspace_id, user_id, end_user_id, provider_key, id]),
    delete: async (id) => (await db.run('DELETE FROM oauth_tokens WHERE id = $1', [id])) === 1,
    claimRefresh: async ({ id, version, holder, forMs }) =>
      (await db.run(claimSql(db), [id, version, holder, forMs])) === 1,
    endRefresh: ({ id, holder }, patch) => update(id, patch, holder),
  }
}
