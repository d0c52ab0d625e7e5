/** The tables `sessions` and `sign_in_codes`. */
import type { Session, SessionHolder, SessionStore, SignInCode } from '../../core/people/session.ts'
import type { Db } from '../db/db.ts'
import { table } from '../db/table.ts'

const SESSIONS = table<Session>(
  'sessions',
  `id, kind, user_id, name, workspace_id, role, workspaces, key_hash, secret_hash, former_hash,
  former_until, rotated_at, user_agent, created_at, used_at, expires_at, ends_at`,
  { json: ['workspaces'] },
)
const CODES = table<SignInCode & Pick<SessionHolder, 'workspace_id' | 'user_id'>>(
  'sign_in_codes',
  'code_hash, holder, expires_at',
  { json: ['holder'], unread: ['workspace_id', 'user_id'] },
)

const SELECT = `SELECT ${SESSIONS.columns} FROM sessions`
const FIND_BY_HASH = `${SELECT} WHERE secret_hash = $1 OR former_hash = $1`
const GET = `${SELECT} WHERE id = $1`

// The ids in the list are UUIDs, so that none is part of another one.
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

const END_OLDEST_CODES = `
DELETE FROM sign_in_codes WHERE code_hash IN (
  SELECT code_hash FROM sign_in_codes WHERE user_id = $1 AND code_hash <> $2
  ORDER BY expires_at DESC, code_hash LIMIT 1000000 OFFSET $3)`

const FIND_CODE = `
SELECT ${CODES.columns} FROM sign_in_codes WHERE code_hash = $1 AND expires_at > $2`

const TAKE_CODE = `
DELETE FROM sign_in_codes WHERE code_hash = $1 AND expires_at > $2
RETURNING ${CODES.columns}`

/** `db` may be a transaction. */
export function createSessionStore(db: Db): SessionStore {
  const sessions = SESSIONS.on(db)
  const codes = CODES.on(db)
  return {
    insert: (session) => sessions.add(session),
    findByHash: (hash) => sessions.get(FIND_BY_HASH, [hash]),
    get: (id) => sessions.get(GET, [id]),
    list: ({ workspace_id, user_id, now }, { limit, offset }) => {
      const params = [workspace_id, now, limit, offset]
      if (user_id === undefined) return sessions.all(LIST, params)
      return sessions.all(LIST_OF_USER, [...params, user_id])
    },
    rotate: async (id, { from, to, former, rotated_at }) =>
      (await db.run(ROTATE, [id, from, to, former, rotated_at])) === 1,
    use: (id, { used_at, expires_at, former_until }) =>
      db.runAhead(USE, [id, used_at, expires_at, former_until]),
    delete: async (id) => (await db.run(DELETE, [id])) === 1,
    deleteOfUser: async ({ workspace_id, user_id }) => {
      await db.run(DELETE_CODES_OF_USER, [workspace_id, user_id])
      return db.run(DELETE_OF_USER, [workspace_id, user_id])
    },
    endOldest: (user_id, keep) => db.runAhead(END_OLDEST, [user_id, keep]),
    expire: async (now) => {
      await db.run(EXPIRE, [now])
      await db.run(EXPIRE_CODES, [now])
    },
    addCode: async (code, keep) => {
      const { workspace_id, user_id } = code.holder
      await codes.add({ ...code, workspace_id, user_id })
      await db.run(END_OLDEST_CODES, [user_id, code.code_hash, keep - 1])
    },
    findCode: (code_hash, now) => codes.get(FIND_CODE, [code_hash, now]),
    takeCode: (code_hash, now) => codes.get(TAKE_CODE, [code_hash, now]),
  }
}
