/** Rows that are read far more often than anything is written. */
import { performance } from 'node:perf_hooks'
import type { Db } from '../db/db.ts'

const MOST_ROWS = 1000
/** After so many ms they are read again, for whoever changes the file with a tool of his own. */
const KEPT_MS = 1000

/**
 * `read`, whose rows are kept in memory until something is written to the database: a row that was changed is
 * read again by the next who asks. A row that is kept comes at once, without a promise. Where others may write too, as on
 * PostgreSQL, nothing is kept. Takers share the row.
 */
export function keptUntilWritten<Row>(
  db: Db,
  read: (by: string) => Promise<Row | undefined>,
): (by: string) => Row | Promise<Row | undefined> {
  const rows = new Map<string, Row>()
  let keptAt = { writeCount: -1, ms: 0 }
  const forgetOld = (writeCount: number, ms: number) => {
    if (keptAt.writeCount === writeCount && ms - keptAt.ms < KEPT_MS && !db.isGone) return
    rows.clear()
    keptAt = { writeCount, ms }
  }
  const readAndKeep = async (by: string, writeCount: number) => {
    const row = await read(by)
    // A write that came in between may have changed it.
    if (row && db.writeCount === writeCount && keptAt.writeCount === writeCount) {
      if (rows.size >= MOST_ROWS) rows.clear()
      rows.set(by, row)
    }
    return row
  }
  return (by) => {
    const { writeCount } = db
    if (writeCount === undefined) return read(by)
    forgetOld(writeCount, performance.now())
    return rows.get(by) ?? readAndKeep(by, writeCount)
  }
}
