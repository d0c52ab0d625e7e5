/** Adds many rows to a table. */
import type { SqlValue, Statement } from './db.ts'

/** The most rows for one statement. */
const MAX_ROWS = 64

/**
 * The statements that add these rows, in order. `suffix` follows the VALUES. The rows that do not fill a
 * statement are added by powers of two, so that there are few SQL texts.
 */
export function insertStatements(
  table: string,
  columns: readonly string[],
  rows: readonly SqlValue[][],
  suffix = '',
): Statement[] {
  const statements: Statement[] = []
  for (let at = 0; at < rows.length; ) {
    const count = Math.min(MAX_ROWS, 2 ** Math.floor(Math.log2(rows.length - at)))
    const params: SqlValue[] = []
    const values = rows
      .slice(at, at + count)
      .map((row) => `(${row.map((value) => `$${params.push(value)}`).join(', ')})`)
    const sql = `INSERT INTO ${table} (${columns.join(', ')}) VALUES ${values.join(', ')} ${suffix}`
    statements.push({ sql, params })
    at += count
  }
  return statements
}
