/** Statements out of the names of columns, for tables that have many. */
import type { SqlValue } from '../../db/db.ts'

/** `$1, $2, …`, as many as there are columns. */
export function placeholders(columns: readonly string[]): string {
  return columns.map((_, index) => `$${index + 1}`).join(', ')
}

/** As a statement takes it: a truth is 0 or 1, a list or an object JSON. */
export function toSql(value: unknown): SqlValue {
  if (typeof value === 'boolean') return Number(value)
  if (typeof value === 'object' && value !== null) return JSON.stringify(value)
  return value as SqlValue
}

/** The row with these columns as truths; `null` stays. */
export function withTruths<T extends object>(row: T, columns: readonly (keyof T)[]): T {
  const truths = columns.map((column) => [column, Number(row[column]) === 1])
  return { ...row, ...Object.fromEntries(truths) }
}
