/** The `oauth_consents` table. Secrets that only the consent's own browser and server know are sealed. */
import type { OAuthConsent, OAuthConsentStore } from '../../../core/oauth/consent.ts'
import type { SecretBox } from '../../../core/secret-box.ts'
import type { Db } from '../../db/db.ts'
import { table } from '../../db/table.ts'
import { PLACES } from '../sealed-columns.ts'
import { holderParams, OF_HOLDER } from './tokens.ts'

const CONSENTS = table<OAuthConsent>(
  'oauth_consents',
  `id, workspace_id, user_id, end_user_id, actor, provider_key, provider_id, scopes, token_id,
  agent_id, is_default, is_further, redirect_uri, fingerprint, state_hash, secrets, status, problem,
  claimed_until, created_at, expires_at`,
  {
    json: ['actor', 'scopes', 'secrets'],
    booleans: ['is_default', 'is_further'],
    numbers: ['claimed_until', 'expires_at'],
    sealed: { secrets: PLACES.consent },
  },
)

const SELECT = `SELECT ${CONSENTS.columns} FROM oauth_consents`
const GET = `${SELECT} WHERE id = $1`
const FIND_BY_STATE = `${SELECT} WHERE state_hash = $1`
const FIND_PENDING = `
${SELECT} WHERE fingerprint = $1 AND status = 'pending' AND expires_at >= $2
ORDER BY created_at DESC LIMIT 1`

const claimSql = ({ nowMs }: Db) => `
UPDATE oauth_consents SET status = 'exchanging', claimed_until = ${nowMs} + $3
WHERE id = $1 AND expires_at > $2
  AND (status = 'pending' OR (status = 'exchanging' AND claimed_until <= ${nowMs}))`

const SETTLE = `
UPDATE oauth_consents
SET status = $2, problem = $3, token_id = coalesce($4, token_id), claimed_until = NULL
WHERE id = $1 AND status = $5`

const restartSql = ({ nowMs }: Db, sql: string[]) => `
UPDATE oauth_consents SET ${sql.join(', ')}
WHERE id = $1 AND (status IN ('pending', 'refused', 'failed')
  OR (status = 'exchanging' AND claimed_until <= ${nowMs}))`

const OPEN = "status IN ('pending', 'exchanging', 'refused', 'failed')"
const COUNT_OPEN = `
SELECT count(*) AS count FROM (
  SELECT 1 FROM oauth_consents
  WHERE workspace_id = $1 AND user_id = $2 AND ${OPEN} AND expires_at > $3 LIMIT $4) AS open`
const COUNT_OPEN_OF_WORKSPACE = `
SELECT count(*) AS count FROM (
  SELECT 1 FROM oauth_consents
  WHERE workspace_id = $1 AND ${OPEN} AND expires_at > $2 LIMIT $3) AS open`

// An offset needs a limit on SQLite.
const END_OLDEST = `
UPDATE oauth_consents SET status = 'expired' WHERE id IN (
  SELECT id FROM oauth_consents
  WHERE workspace_id = $1 AND user_id = $2 AND end_user_id = $3 AND ${OPEN}
  ORDER BY created_at DESC, id LIMIT 1000000 OFFSET $4)`

const FORGET_OLDEST = `
DELETE FROM oauth_consents WHERE id IN (
  SELECT id FROM oauth_consents
  WHERE workspace_id = $1 AND user_id = $2 AND end_user_id = $3
  ORDER BY created_at DESC, id LIMIT 1000000 OFFSET $4)`

const DELETE_OF_HOLDER = `DELETE FROM oauth_consents WHERE ${OF_HOLDER}`
const END = `UPDATE oauth_consents SET status = 'expired' WHERE provider_key = $1 AND ${OPEN}`
const EXPIRE = `
UPDATE oauth_consents SET status = 'expired'
WHERE ${OPEN} AND expires_at <= $1`

const FORGET = `
DELETE FROM oauth_consents WHERE status IN ('expired', 'completed') AND expires_at <= $1`

/** On `db`, which may be a transaction. */
export function createOAuthConsentStore(db: Db, box: SecretBox): OAuthConsentStore {
  const consents = CONSENTS.on(db, box)
  return {
    insert: (consent) => consents.add(consent),
    get: (id) => consents.get(GET, [id]),
    findByState: (state_hash) => consents.get(FIND_BY_STATE, [state_hash]),
    findPending: (fingerprint, after) => consents.get(FIND_PENDING, [fingerprint, after]),
    countOpen: async ({ workspace_id, user_id }, now, limit) => {
      const found =
        user_id === undefined
          ? db.get<{ count: number }>(COUNT_OPEN_OF_WORKSPACE, [workspace_id, now, limit])
          : db.get<{ count: number }>(COUNT_OPEN, [workspace_id, user_id, now, limit])
      return Number((await found)?.count ?? 0)
    },
    endOldest: async ({ workspace_id, user_id, end_user_id }, keep) => {
      const owner = [workspace_id, user_id, end_user_id]
      await db.run(END_OLDEST, [...owner, keep.open])
      await db.run(FORGET_OLDEST, [...owner, keep.all])
    },
    claim: async (id, { now, forMs }) => (await db.run(claimSql(db), [id, now, forMs])) === 1,
    settle: async (id, { status, problem = null, token_id = null }) => {
      const from = status === 'refused' ? 'pending' : 'exchanging'
      return (await db.run(SETTLE, [id, status, problem, token_id, from])) === 1
    },
    restart: async (id, { state_hash, secrets }) => {
      const fresh = { status: 'pending', problem: null, state_hash, secrets } as const
      const { sql, params } = consents.assignments(id, fresh, 2)
      return (await db.run(restartSql(db, sql), [id, ...params])) === 1
    },
    end: (provider_key) => db.runAhead(END, [provider_key]),
    deleteOfHolder: (holder) => db.runAhead(DELETE_OF_HOLDER, holderParams(holder)),
    expire: async (now, forgetBefore) => {
      await db.run(EXPIRE, [now])
      await db.run(FORGET, [forgetBefore])
    },
  }
}
