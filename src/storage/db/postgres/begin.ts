/** The statements that begin a transaction on PostgreSQL. */
import { createHash } from 'node:crypto'
import type { Locks } from '../db.ts'
import type { PostgresPool } from './connection.ts'

/**
 * The statement that begins a transaction. The names of `locks` are hashed together with the schema,
 * since advisory locks belong to the whole database.
 */
export function begin({ schema, perTransaction }: PostgresPool, locks: Locks | undefined): string {
  const isolation = locks ? 'READ COMMITTED' : 'SERIALIZABLE'
  const keys = [...new Set(locks)].map((lock) => lockKey(schema, lock)).toSorted(ascending)
  const take = keys.map((key) => `pg_advisory_xact_lock(${key})`)
  const wait = take.length > 0 ? `SELECT ${take.join(', ')};` : ''
  return `BEGIN ISOLATION LEVEL ${isolation}; ${perTransaction} ${wait}`
}

/** The statement for a transaction that only reads, all of it from one state of the database. */
export function beginSnapshot({ perTransaction }: PostgresPool): string {
  return `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; ${perTransaction}`
}

function lockKey(schema: string, lock: string): bigint {
  const digest = createHash('sha1').update(`${schema}\n${lock}`).digest()
  return digest.readBigInt64BE()
}

function ascending(a: bigint, b: bigint): number {
  return a < b ? -1 : 1
}
