/** The `store_items` table, with the vectors of its items. Searching is in other files. */

import type { ItemChange, ItemStore, ItemVector, NewItem } from '../../core/agent/items/item.ts'
import { AppError } from '../../core/errors.ts'
import type { Db } from '../db/db.ts'
import { encodeJson } from '../db/json-columns.ts'
import { nearestItems } from './ranking.ts'
import { ITEM_COLUMNS, type ItemRow, idOf, isAlive, toItem } from './rows.ts'
import { listNamespaces, refreshItems, searchItems } from './search.ts'

const GET = `
SELECT ${ITEM_COLUMNS} FROM store_items AS i
WHERE i.namespace = $1 AND i.key = $2 AND ${isAlive('$3')}`

// An expired item that was not removed yet is replaced like one that never existed.
const PUT = `
INSERT INTO store_items (namespace, key, value, created_at, updated_at, ttl_minutes, expires_at)
VALUES ($1, $2, $3, $4, $4, $5, $6)
ON CONFLICT (namespace, key) DO UPDATE
SET value = excluded.value, updated_at = excluded.updated_at, ttl_minutes = excluded.ttl_minutes,
  expires_at = excluded.expires_at,
  created_at = CASE WHEN store_items.expires_at <= $7 THEN excluded.created_at
    ELSE store_items.created_at END`

const DELETE = 'DELETE FROM store_items WHERE namespace = $1 AND key = $2'

const DELETE_VECTORS = 'DELETE FROM store_item_vectors WHERE namespace = $1 AND key = $2'

const PUT_VECTOR = `
INSERT INTO store_item_vectors (namespace, key, field, dims, vector) VALUES ($1, $2, $3, $4, $5)`

const EXPIRE = `
DELETE FROM store_items WHERE (namespace, key) IN (
  SELECT namespace, key FROM store_items WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2
)`

export function createItemStore(db: Db): ItemStore {
  return {
    async get(id, reading) {
      const row = await db.get<ItemRow>(GET, [...idOf(id), reading.now])
      if (!row) return undefined
      await refreshItems(db, [row], reading)
      return toItem(row)
    },
    write: (changes, now) =>
      db.transaction(async (tx) => {
        for (const change of changes) await writeItem(tx, change, now)
      }, []),
    search: (query, page, reading) => searchItems(db, query, page, reading),
    nearest: (query, page, reading) => nearestItems(db, query, page, reading),
    namespaces: (query, page, now) => listNamespaces(db, query, page, now),
    expire: (now, limit) => db.run(EXPIRE, [now, limit]),
    async prepareVectors() {
      await db.vectors()
    },
  }
}

async function writeItem(tx: Db, change: ItemChange, now: number): Promise<void> {
  const id = idOf(change)
  if (change.value === null) {
    await tx.run(DELETE, id)
    return
  }
  const { value, ttl_minutes } = change
  const time = new Date(now).toISOString()
  const expires_at = ttl_minutes === null ? null : now + Math.round(ttl_minutes * 60_000)
  await tx.run(PUT, [...id, encodeJson(value), time, ttl_minutes, expires_at, now])
  await tx.run(DELETE_VECTORS, id)
  await addVectors(tx, change)
}

async function addVectors(tx: Db, { vectors, ...item }: NewItem): Promise<void> {
  if (vectors.length === 0) return
  const { encode } = await tx.vectors()
  for (const { field, vector } of vectors) {
    requireNumbers(vector, field)
    await tx.run(PUT_VECTOR, [...idOf(item), field, vector.length, encode(vector)])
  }
}

function requireNumbers(vector: ItemVector['vector'], field: string): void {
  if (vector.length > 0 && vector.every(Number.isFinite)) return
  throw new AppError('internal', `The vector of "${field}" is not a list of numbers.`)
}
