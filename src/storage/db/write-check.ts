/** Whether a database takes writes, found out by writing. */
import type { Db } from './db.ts'

/**
 * Each changes nothing and is written all the same: on SQLite an UPDATE to the same content is not, and
 * a full disk shows at the commit only.
 */
const WRITES = {
  sqlite: 'PRAGMA user_version = 0',
  postgres: 'UPDATE schema_migrations SET name = name WHERE version = 1',
}

/** How long an answer is good, in ms: anybody may ask. */
const GOOD_FOR_MS = 1000

/** Answers what settles when the database took a write within the last second; throws as it does. */
export function createWriteCheck(db: Db): () => Promise<void> {
  let last = { at: Number.NEGATIVE_INFINITY, outcome: Promise.resolve() }
  return () => {
    const now = performance.now()
    if (now - last.at >= GOOD_FOR_MS) {
      last = { at: now, outcome: db.run(WRITES[db.dialect]).then(() => {}) }
    }
    return last.outcome
  }
}
