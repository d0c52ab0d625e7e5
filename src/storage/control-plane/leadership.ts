/** The `leadership` table, and the check for every write of a leader. */

import type { Leadership, LeadershipStore, Term } from '../../core/deployment/leadership.ts'
import { AppError } from '../../core/errors.ts'
import type { Db, Statement } from '../db/db.ts'
import { decodeRow } from '../db/table.ts'

const GET = 'SELECT token, beat, holder, url FROM leadership'

const TAKE = `
UPDATE leadership SET token = token + 1, beat = 0, holder = $3, url = ''
WHERE token = $1 AND beat = $2 RETURNING token`

const RENEW = `
UPDATE leadership SET beat = beat + 1, url = $2 WHERE token = $1 AND holder IS NOT NULL`

const RELEASE = `
UPDATE leadership SET beat = beat + 1, holder = NULL, url = '' WHERE token = $1`

const HELD = 'SELECT 1 FROM leadership WHERE token = $1 AND holder IS NOT NULL'

export function createLeadershipStore(db: Db): LeadershipStore {
  return {
    async get() {
      const row = await db.get(GET)
      if (!row) throw new AppError('internal', 'The table "leadership" has lost its row.')
      return decodeRow<Leadership>(row, [])
    },
    async take({ token, beat }, holder) {
      const row = await db.get<{ token: number }>(TAKE, [token, beat, holder])
      return row?.token
    },
    renew: async (token, url) => (await db.run(RENEW, [token, url])) > 0,
    release: (token) => db.runAhead(RELEASE, [token]),
  }
}

/**
 * The same database for the leader of this term. Statements are refused (`unavailable`) while the leader is not sure
 * that it leads. Each write is done in a transaction that locks the leadership, so that nothing is written once another
 * one leads.
 */
export function underTerm(db: Db, term: Term): Db {
  const write = async <T>(work: (tx: Db) => Promise<T>, locks?: readonly string[]): Promise<T> => {
    requireSure(term)
    return db.transaction(async (tx) => {
      if (!(await tx.get(HELD + tx.rowLocks.wait, [term.token]))) throw notLeading(term)
      return work(tx)
    }, locks)
  }
  const read = <T>(work: () => Promise<T>): Promise<T> => {
    requireSure(term)
    return work()
  }
  return {
    all: async (sql, params) =>
      isRead(sql) ? read(() => db.all(sql, params)) : write((tx) => tx.all(sql, params), []),
    get: async (sql, params) =>
      isRead(sql) ? read(() => db.get(sql, params)) : write((tx) => tx.get(sql, params), []),
    run: (sql, params) => write((tx) => tx.run(sql, params), []),
    runAhead: (sql, params) => write((tx) => tx.runAhead(sql, params), []),
    batch: (statements, condition?: Statement) =>
      write((tx) => tx.batch(statements, condition), []),
    script: (sql) => write((tx) => tx.script(sql)),
    transaction: write,
    snapshot: async (work) => read(() => db.snapshot(work)),
    requireRoom: () => db.requireRoom(),
    sizeBytes: () => db.sizeBytes(),
    close: () => db.close(),
    get isGone() {
      return db.isGone
    },
    dialect: db.dialect,
    json: db.json,
    vectors: () => db.vectors(),
    rowLocks: db.rowLocks,
    nowMs: db.nowMs,
  }
}

function isRead(sql: string): boolean {
  return /^\s*SELECT\b/i.test(sql)
}

function requireSure(term: Term): void {
  if (!term.isSure()) throw notLeading(term)
}

function notLeading({ token }: Term): AppError {
  return new AppError(
    'unavailable',
    `This control plane does not lead, or cannot be sure that it does (term ${token}); nothing was done.`,
  )
}
