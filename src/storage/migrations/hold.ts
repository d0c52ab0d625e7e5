/**
 * A note in a database that no Runyard may use now: the target of a move or a restore that is not complete, or the
 * source of one. It is stored among the migrations, with a version that no Runyard knows, so that older ones refuse to
 * start on it as well.
 */
import { AppError } from '../../core/errors.ts'
import type { Db } from '../db/db.ts'

/** Far above every real migration. */
export const HOLD_VERSION = 1_000_000

/**
 * `filling`: something is being written into it. `filled`: all of it is there and compared, and the databases that
 * belong to it are being opened. `leaving`: it is being read, and not used afterwards. `left`: everything has moved
 * elsewhere.
 */
type HoldReason = 'filling' | 'filled' | 'leaving' | 'left'

export interface Hold {
  reason: HoldReason
  /** Names the move or restore; its other databases have the same. */
  id: string
  /** What to do, for the operator. */
  message: string
}

const SET = `
INSERT INTO schema_migrations (version, name) VALUES (${HOLD_VERSION}, $1)
ON CONFLICT (version) DO UPDATE SET name = excluded.name`

export async function setHold(db: Db, { reason, id, message }: Hold): Promise<void> {
  await db.run(SET, [[reason, id, message].join(' ')])
}

export async function clearHold(db: Db): Promise<void> {
  await db.run(`DELETE FROM schema_migrations WHERE version = ${HOLD_VERSION}`)
}

/** `undefined`: the database may be used. `table`: its table `schema_migrations`, with a schema if it needs one. */
export async function readHold(
  db: Pick<Db, 'get'>,
  table = 'schema_migrations',
): Promise<Hold | undefined> {
  const sql = `SELECT name FROM ${table} WHERE version = ${HOLD_VERSION}`
  const row = await db.get<{ name: string }>(sql)
  if (!row) return undefined
  const [reason, id = '', ...words] = row.name.split(' ')
  return { reason: reason as HoldReason, id, message: words.join(' ') }
}

/** Throws `conflict` with what to do. */
export async function refuseHeld(db: Db): Promise<void> {
  const hold = await readHold(db)
  if (hold) throw new AppError('conflict', hold.message)
}
