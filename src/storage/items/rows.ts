/** Reads rows of the `store_items` table. A namespace is stored as text. */
import type { Item, ItemId } from '../../core/agent/items/item.ts'
import { parseJson } from '../../core/exact-json.ts'
import type { SqlValue } from '../db/db.ts'

export const ITEM_COLUMNS = 'i.namespace, i.key, i.value, i.created_at, i.updated_at, i.ttl_minutes'

export interface ItemRow {
  namespace: string
  key: string
  value: string
  created_at: string
  updated_at: string
  ttl_minutes: number | null
}

export function toItem({ namespace, key, value, created_at, updated_at }: ItemRow): Item {
  return { namespace: namespace.split('.'), key, value: parseJson(value), created_at, updated_at }
}

/** No label contains a period. */
function toText(namespace: readonly string[]): string {
  return namespace.join('.')
}

export function idOf({ namespace, key }: ItemId): [string, string] {
  return [toText(namespace), key]
}

/** The condition that an item has not expired at the time of a placeholder. */
export function isAlive(now: string): string {
  return `(i.expires_at IS NULL OR i.expires_at > ${now})`
}

/** The condition that the `namespace` is the prefix or lies below it; `/` is the character after `.`. */
export function isBelow(
  table: string,
  prefix: readonly string[],
  place: (value: SqlValue) => string,
): string[] {
  if (prefix.length === 0) return []
  const text = toText(prefix)
  const column = `${table}.namespace`
  const below = `(${column} >= ${place(`${text}.`)} AND ${column} < ${place(`${text}/`)})`
  return [`(${column} = ${place(text)} OR ${below})`]
}
