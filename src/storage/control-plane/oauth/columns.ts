/** Statements out of the names of columns, for tables that have many. */
import type { GrantHolder } from '../../../core/oauth/token.ts'
import type { SqlValue } from '../../db/db.ts'

/** `$1, $2, …`, as many as there are columns. */
export function placeholders(columns: readonly string[]): string {
  return columns.map((_, index) => `$${index + 1}`).join(', ')
}

/** A condition for the rows of a holder, of whom `holderParams` are `$1` to `$3`. */
export const OF_HOLDER = `workspace_id = $1
  AND (CAST($2 AS TEXT) IS NULL OR user_id = $2)
  AND (CAST($3 AS TEXT) IS NULL OR user_id = $3 OR end_user_id = $3)`

export function holderParams({ workspace_id, user_id, person }: GrantHolder): SqlValue[] {
  return [workspace_id, user_id ?? null, person ?? null]
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
