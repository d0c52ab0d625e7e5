/** Finds out whether a database takes writes, by writing. */
import type { Db } from './db.ts'

/**
 * These change nothing and are still written. On SQLite an UPDATE to the same content is not, and a full
 * disk shows only at the commit.
 */
const WRITES = {
  sqlite: 'PRAGMA user_version = 0',
  postgres:
    'UPDATE schema_migrations SET name = name WHERE version = (SELECT max(version) FROM schema_migrations)',
}

/** How long a result is used, in ms, since any client may ask. */
const GOOD_FOR_MS = 1000

async function write(db: Db): Promise<void> {
  db.requireRoom()
  await db.run(WRITES[db.dialect])
}

/**
 * The function settles when the database has taken a write within the last second. It throws the error of
 * the database.
 */
export function createWriteCheck(db: Db): () => Promise<void> {
  let last = { at: Number.NEGATIVE_INFINITY, outcome: Promise.resolve() }
  return () => {
    const now = performance.now()
    if (now - last.at >= GOOD_FOR_MS) {
      last = { at: now, outcome: write(db) }
    }
    return last.outcome
  }
}
