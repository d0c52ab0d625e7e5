/** How much PostgreSQL reads to do something, and what it knows of the tables when it makes its plans. */
import type { Db } from '../../../src/storage/db/db.ts'

const ROWS = `
  SELECT coalesce(sum(seq_tup_read + coalesce(idx_tup_fetch, 0)), 0) AS count
  FROM pg_stat_xact_user_tables WHERE schemaname = current_schema()`

/** How many rows the database touches for what is done in a transaction. */
export function rowsRead(db: Db, work: (tx: Db) => Promise<unknown>): Promise<number> {
  return db.transaction(async (tx) => {
    const before = await countRows(tx)
    await work(tx)
    return (await countRows(tx)) - before
  }, [])
}

/** Of this connection; transactions before this one may count still. */
async function countRows(tx: Db): Promise<number> {
  return Number((await tx.get<{ count: number }>(ROWS))?.count)
}

const TABLES = 'SELECT tablename FROM pg_tables WHERE schemaname = current_schema()'

/**
 * Gives the planner fresh figures of the schema's tables. By itself ANALYZE locks every table of the
 * database, those of all other tests too: more than PostgreSQL keeps locks of.
 */
export async function analyze(db: Db): Promise<void> {
  const tables = await db.all<{ tablename: string }>(TABLES)
  await db.script(`ANALYZE ${tables.map(({ tablename }) => tablename).join(', ')}`)
}
