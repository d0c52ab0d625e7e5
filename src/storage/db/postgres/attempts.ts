/**
 * One attempt on one connection, and what follows from its result.
 *
 * ```
 * done      the database has confirmed it
 * failed    nothing was done, or doing it twice is harmless; otherwise the error says that it may be done
 * unknown   the connection was lost before the database confirmed the commit
 * ```
 */
import { createHash } from 'node:crypto'
import type { PoolClient, QueryResult } from 'pg'
import type { Locks, Statement } from '../db.ts'
import type { PostgresPool } from './connection.ts'
import { asRefusal, isCollision, isLost, isStopped, isTwice, unanswered } from './errors.ts'

export type Outcome<T> =
  | { kind: 'done'; result: T }
  | Failure
  /** `result` is what was done, if it was. */
  | { kind: 'unknown'; error: unknown; result: T }

/** `error` is for the caller. `isLost`: the connection cannot be used any more. */
export interface Failure {
  kind: 'failed'
  error: unknown
  isLost: boolean
  isRepeatable: boolean
}

/** Never rejects. */
export async function attemptStatement(
  pool: PostgresPool,
  client: PoolClient,
  statement: Statement,
): Promise<Outcome<QueryResult>> {
  try {
    return { kind: 'done', result: await send(pool, client, statement) }
  } catch (error) {
    const isUnanswered = isLost(error) && !isRead(statement.sql)
    const failed = failure(error, isLost(error) && !isUnanswered)
    return isUnanswered ? { ...failed, error: unanswered(error) } : failed
  }
}

async function send(
  pool: PostgresPool,
  client: PoolClient,
  statement: Statement,
): Promise<QueryResult> {
  if (!pool.isShared) return pool.query(client, statement)
  const query = pool.toQuery(statement)
  // Sent together, in one round trip.
  const [, result] = await Promise.all([
    pool.send(client, `BEGIN ISOLATION LEVEL READ COMMITTED; ${pool.perTransaction}`),
    pool.send(client, query),
    pool.send(client, 'COMMIT'),
  ])
  return result
}

/**
 * Sends everything at once, as one statement where that is possible. `false`: the condition was not met, and
 * nothing was done. It is repeated whenever the result is not known, since a second time changes nothing. Never
 * rejects.
 */
export async function attemptBatch(
  pool: PostgresPool,
  client: PoolClient,
  statements: readonly Statement[],
  condition: Statement | undefined,
): Promise<Outcome<boolean>> {
  try {
    const result = await attemptAtOnce(pool, client, statements, condition)
    return result ?? (await attemptInTurn(pool, client, statements, condition))
  } catch (error) {
    if (isStopped(error)) return { kind: 'done', result: false }
    return failure(error, isLost(error) || isCollision(error))
  }
}

/** `undefined`: this batch cannot be one statement, and nothing was done. */
async function attemptAtOnce(
  pool: PostgresPool,
  client: PoolClient,
  statements: readonly Statement[],
  condition: Statement | undefined,
): Promise<Outcome<boolean> | undefined> {
  const one = condition && !pool.isShared && pool.oneStatement.of(statements, stopUnless(condition))
  if (!one) return undefined
  try {
    await pool.query(client, one)
    return { kind: 'done', result: true }
  } catch (error) {
    if (isTwice(error)) return undefined
    throw error
  }
}

async function attemptInTurn(
  pool: PostgresPool,
  client: PoolClient,
  statements: readonly Statement[],
  condition: Statement | undefined,
): Promise<Outcome<boolean>> {
  const all = condition ? [stopUnless(condition), ...statements] : statements
  const queries = all.map((statement) => pool.toQuery(statement))
  const sent = [begin(pool, []), ...queries, 'COMMIT'].map((query) => pool.send(client, query))
  const results = await Promise.allSettled(sent)
  // After the first failure nothing was done, unless the connection failed.
  for (const result of results) if (result.status === 'rejected') throw result.reason
  return { kind: 'done', result: true }
}

/**
 * Makes the statements behind it fail when the condition finds no row: it divides by the number of rows,
 * since only an error stops them.
 */
function stopUnless({ sql, params }: Statement): Statement {
  return { sql: `SELECT 1 / count(*) FROM (${sql}) AS condition`, params }
}

function failure(error: unknown, isRepeatable: boolean): Failure {
  return { kind: 'failed', error: asRefusal(error), isLost: isLost(error), isRepeatable }
}

function isRead(sql: string): boolean {
  return /^\s*(SELECT\b|WITH\b(?!.*\b(INSERT|UPDATE|DELETE)\b))/s.test(sql)
}

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
