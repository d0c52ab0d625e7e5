/**
 * One try of something on one connection, and what may be concluded from how it went.
 *
 * ```
 * done      the database has said so
 * failed    nothing was done, or twice is the same as once; else its error says that it may have been
 * unknown   the connection was lost before the database said whether it had committed
 * ```
 */
import type { PoolClient, QueryResult } from 'pg'
import type { Statement } from '../db.ts'
import { begin } from './begin.ts'
import type { PostgresPool } from './connection.ts'
import { asRefusal, isCollision, isLost, isStopped, unanswered } from './errors.ts'

export type Outcome<T> =
  | { kind: 'done'; result: T }
  | Failure
  /** `result` is what was done, if it was. */
  | { kind: 'unknown'; error: unknown; result: T }

/** `error` is what callers are to see; `isLost`: the connection is of no more use. */
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
  // Sent together: one round trip.
  const [, result] = await Promise.all([
    client.query(`BEGIN ISOLATION LEVEL READ COMMITTED; ${pool.perTransaction}`),
    client.query(query),
    client.query('COMMIT'),
  ])
  return result
}

/**
 * Sends all of it at once; `false`: the condition was not met, and nothing was done. Since the second
 * time changes nothing, whatever may have been done is done again. Never rejects.
 */
export async function attemptBatch(
  pool: PostgresPool,
  client: PoolClient,
  statements: readonly Statement[],
  condition: Statement | undefined,
): Promise<Outcome<boolean>> {
  try {
    const all = condition ? [stopUnless(condition), ...statements] : statements
    const queries = all.map((statement) => pool.toQuery(statement))
    const sent = [begin(pool, []), ...queries, 'COMMIT'].map((query) => client.query(query))
    const results = await Promise.allSettled(sent)
    // After the first failure nothing has been done, unless it is the connection's.
    for (const result of results) if (result.status === 'rejected') throw result.reason
    return { kind: 'done', result: true }
  } catch (error) {
    if (isStopped(error)) return { kind: 'done', result: false }
    return failure(error, isLost(error) || isCollision(error))
  }
}

/** Only an error stops what was sent along with it: a division by the number of rows. */
function stopUnless({ sql, params }: Statement): Statement {
  return { sql: `SELECT 1 / count(*) FROM (${sql}) AS condition`, params }
}

function failure(error: unknown, isRepeatable: boolean): Failure {
  return { kind: 'failed', error: asRefusal(error), isLost: isLost(error), isRepeatable }
}

function isRead(sql: string): boolean {
  return /^\s*SELECT\b/.test(sql)
}
