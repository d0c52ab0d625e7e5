/** Replaces the CHECK that constrains a column to a list of words: a new status, role, source or provider type. */
import { AppError } from '../../core/errors.ts'
import type { Db } from '../db/db.ts'

export interface WordCheck {
  table: string
  column: string
  /** Every word that the column may hold from now on. */
  words: readonly string[]
}

/**
 * On SQLite the usual way (a new table, copy, drop, rename) would delete every row of the tables that refer to this
 * one: with foreign keys on, `DROP TABLE` deletes its rows first, and cascades. The text of the schema is changed
 * instead, which SQLite documents for constraints that change nothing in the file.
 *
 * Throws `internal` where the table has no such CHECK, or holds a word that is not in the list.
 */
export async function replaceCheck(tx: Db, { table, column, words }: WordCheck): Promise<void> {
  const list = words.map((word) => `'${word}'`).join(', ')
  const unknown = await tx.get(
    `SELECT ${column} FROM ${table} WHERE ${column} NOT IN (${list}) LIMIT 1`,
  )
  if (unknown) throw new AppError('internal', `${table}.${column} holds a word that is not listed.`)
  const check = `CHECK (${column} IN (${list}))`
  if (tx.dialect === 'postgres')
    return replaceOnPostgres(tx, `${table}_${column}_check`, table, check)
  return replaceOnSqlite(tx, table, column, check)
}

/** PostgreSQL names the CHECK of a column like this by itself. */
async function replaceOnPostgres(
  tx: Db,
  name: string,
  table: string,
  check: string,
): Promise<void> {
  await tx.script(`ALTER TABLE ${table} DROP CONSTRAINT ${name};
    ALTER TABLE ${table} ADD CONSTRAINT ${name} ${check};`)
}

async function replaceOnSqlite(
  tx: Db,
  table: string,
  column: string,
  check: string,
): Promise<void> {
  const row = await tx.get<{ sql: string }>(
    "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = $1",
    [table],
  )
  const parts = (row?.sql ?? '').split(
    new RegExp(`CHECK\\s*\\(\\s*${column} IN \\([^)]*\\)\\s*\\)`),
  )
  if (parts.length !== 2) {
    throw new AppError('internal', `${table} has no CHECK of its own on the words of ${column}.`)
  }
  const version = await tx.get<{ schema_version: number }>('PRAGMA schema_version')
  const sql = parts.join(check).replaceAll("'", "''")
  // The new version makes every connection read the schema again; RESET makes this one do so.
  await tx.script(`PRAGMA writable_schema = ON;
    UPDATE sqlite_schema SET sql = '${sql}' WHERE type = 'table' AND name = '${table}';
    PRAGMA schema_version = ${Number(version?.schema_version) + 1};
    PRAGMA writable_schema = RESET;`)
}
