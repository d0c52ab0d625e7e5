/** Adds many rows to a table. */
import { LARGE } from '../../core/turn.ts'
import type { SqlValue, Statement } from './db.ts'

/** The most rows for one statement. */
const MAX_ROWS = 64
/** Up to here there is a statement for each number of rows. */
const FEW_ROWS = 8

/**
 * The statements that add these rows, in order. `suffix` follows the VALUES. Many rows that do not fill a
 * statement are added by powers of two, so that there are few SQL texts.
 */
export function insertStatements(
  table: string,
  columns: readonly string[],
  rows: readonly SqlValue[][],
  suffix = '',
): Statement[] {
  const statements: Statement[] = []
  const into = { head: `INSERT INTO ${table} (${columns.join(', ')})`, columns, suffix }
  for (let at = 0; at < rows.length; ) {
    const count = countFrom(rows, at)
    const params: SqlValue[] = []
    for (let i = at; i < at + count; i += 1) for (const value of rows[i] ?? []) params.push(value)
    statements.push({ sql: insertSql(into, count), params })
    at += count
  }
  return statements
}

interface Into {
  head: string
  columns: readonly string[]
  suffix: string
}

/** Reuses the text of each statement: a new string would be compared letter by letter with the prepared ones. */
const known = new Map<string, string>()

function insertSql({ head, columns, suffix }: Into, rows: number): string {
  const key = `${rows} ${head} ${suffix}`
  let sql = known.get(key)
  if (sql === undefined) {
    sql = `${head} ${valuesOf(rows, columns.length)} ${suffix}`
    known.set(key, sql)
  }
  return sql
}

/** `VALUES ($1, $2), ($3, $4)` */
function valuesOf(rows: number, columns: number): string {
  const row = (at: number) => Array.from({ length: columns }, (_, i) => `$${at * columns + i + 1}`)
  const all = Array.from({ length: rows }, (_, at) => `(${row(at).join(', ')})`)
  return `VALUES ${all.join(', ')}`
}

function countFrom(rows: readonly SqlValue[][], at: number): number {
  const small = Math.max(smallFrom(rows, at), 1)
  return small <= FEW_ROWS ? small : 2 ** Math.floor(Math.log2(small))
}

/** How many rows together are small, up to `MAX_ROWS`: other work is served between two large statements. */
function smallFrom(rows: readonly SqlValue[][], at: number): number {
  let size = 0
  const end = Math.min(rows.length, at + MAX_ROWS)
  for (let i = at; i < end; i += 1) {
    for (const value of rows[i] ?? []) size += sizeOf(value)
    if (size > LARGE) return i - at
  }
  return end - at
}

function sizeOf(value: SqlValue): number {
  return typeof value === 'string' || value instanceof Uint8Array ? value.length : 0
}
