/** The tables `sessions` and `sign_in_codes`. */
import type { Session, SessionStore, SignInCode } from '../../core/people/session.ts'
import type { Db } from '../db/db.ts'
import { decodeRow } from '../db/json-columns.ts'

const COLUMNS = [
  'id',
  'kind',
  'user_id',
  'name',
  'workspace_id',
  'role',
  'workspaces',
  'key_hash',
  'secret_hash',
  'former_hash',
  'former_until',
  'rotated_at',
  'user_agent',
  'created_at',
  'used_at',
  'expires_at',
  'ends_at',
] as const satisfies (keyof Session)[]

const SELECT = `SELECT ${COLUMNS.join(', ')} FROM sessions`
const INSERT = `
INSERT INTO sessions (${COLUMNS.join(', ')})
VALUES (${COLUMNS.map((_, i) => `$${i + 1}`).join(', ')})`
const FIND_BY_HASH = `${SELECT} WHERE secret_hash = $1 OR former_hash = $1`
const GET = `${SELECT} WHERE id = $1`

// The ids in the list are UUIDs, so that one stands in it only as itself.
const IN_WORKSPACE = "workspaces LIKE '%\"' || $1 || '\"%'"
const LIST = `
${SELECT} WHERE ${IN_WORKSPACE} AND expires_at > $2
ORDER BY used_at DESC, id LIMIT $3 OFFSET $4`
const LIST_OF_USER = `
${SELECT} WHERE ${IN_WORKSPACE} AND expires_at > $2 AND user_id = $5
ORDER BY used_at DESC, id LIMIT $3 OFFSET $4`

const ROTATE = `
UPDATE sessions
SET secret_hash = $3, former_hash = $4, former_until = NULL, rotated_at = $5
WHERE id = $1 AND secret_hash = $2`

const USE = `
UPDATE sessions
SET used_at = $2, expires_at = $3, former_until = coalesce(former_until, $4)
WHERE id = $1`

const DELETE = 'DELETE FROM sessions WHERE id = $1'
const DELETE_OF_USER = `DELETE FROM sessions WHERE ${IN_WORKSPACE} AND user_id = $2`
const DELETE_CODES_OF_USER = 'DELETE FROM sign_in_codes WHERE workspace_id = $1 AND user_id = $2'

// An offset needs a limit on SQLite.
const END_OLDEST = `
DELETE FROM sessions WHERE id IN (
  SELECT id FROM sessions WHERE user_id = $1
  ORDER BY used_at DESC, id LIMIT 1000000 OFFSET $2)`

const EXPIRE = 'DELETE FROM sessions WHERE expires_at <= $1'
const EXPIRE_CODES = 'DELETE FROM sign_in_codes WHERE expires_at <= $1'

const ADD_CODE = `
INSERT INTO sign_in_codes (code_hash, workspace_id, user_id, holder, expires_at)
VALUES ($1, $2, $3, $4, $5)`

const END_OLDEST_CODES = `
DELETE FROM sign_in_codes WHERE code_hash IN (
  SELECT code_hash FROM sign_in_codes WHERE user_id = $1 AND code_hash <> $2
  ORDER BY expires_at DESC, code_hash LIMIT 1000000 OFFSET $3)`

const FIND_CODE = `
SELECT code_hash, holder, expires_at FROM sign_in_codes WHERE code_hash = $1 AND expires_at > $2`

const TAKE_CODE = `
DELETE FROM sign_in_codes WHERE code_hash = $1 AND expires_at > $2
RETURNING code_hash, holder, expires_at`

/** `db` may be a transaction. */
export function createSessionStore(db: Db): SessionStore {
  const read = (row: object) => decodeRow<Session>(row, ['workspaces'])
  const find = async (sql: string, by: string) => {
    const row = await db.get<object>(sql, [by])
    return row && read(row)
  }
  return {
    insert: async (session) => {
      const row = { ...session, workspaces: JSON.stringify(session.workspaces) }
      await db.run(
        INSERT,
        COLUMNS.map((column) => row[column]),
      )
    },
    findByHash: (hash) => find(FIND_BY_HASH, hash),
    get: (id) => find(GET, id),
    list: async ({ workspace_id, user_id, now }, { limit, offset }) => {
      const params = [workspace_id, now, limit, offset]
      const rows =
        user_id === undefined
          ? await db.all<object>(LIST, params)
          : await db.all<object>(LIST_OF_USER, [...params, user_id])
      return rows.map(read)
    },
    rotate: async (id, { from, to, former, rotated_at }) =>
      (await db.run(ROTATE, [id, from, to, former, rotated_at])) === 1,
    use: async (id, { used_at, expires_at, former_until }) => {
      await db.run(USE, [id, used_at, expires_at, former_until])
    },
    delete: async (id) => (await db.run(DELETE, [id])) === 1,
    deleteOfUser: async ({ workspace_id, user_id }) => {
      await db.run(DELETE_CODES_OF_USER, [workspace_id, user_id])
      return db.run(DELETE_OF_USER, [workspace_id, user_id])
    },
    endOldest: async (user_id, keep) => {
      await db.run(END_OLDEST, [user_id, keep])
    },
    expire: async (now) => {
      await db.run(EXPIRE, [now])
      await db.run(EXPIRE_CODES, [now])
    },
    addCode: async ({ code_hash, holder, expires_at }, keep) => {
      const { workspace_id, user_id } = holder
      const text = JSON.stringify(holder)
      await db.run(ADD_CODE, [code_hash, workspace_id, user_id, text, expires_at])
      await db.run(END_OLDEST_CODES, [user_id, code_hash, keep - 1])
    },
    findCode: async (code_hash, now) => {
      const row = await db.get<object>(FIND_CODE, [code_hash, now])
      return row && decodeRow<SignInCode>(row, ['holder'])
    },
    takeCode: async (code_hash, now) => {
      const row = await db.get<object>(TAKE_CODE, [code_hash, now])
      return row && decodeRow<SignInCode>(row, ['holder'])
    },
  }
}
