/**
 * A transaction on PostgreSQL: runs its work, and finds out whether it was committed.
 *
 * BEGIN is sent with the first statement and costs no round trip of its own. Statements sent ahead share that of
 * COMMIT.
 */
import type { AsyncLocalStorage } from 'node:async_hooks'
import { DatabaseError, type PoolClient } from 'pg'
import { AppError } from '../../../core/errors.ts'
import type { Db, SqlValue, Statement, VectorSql } from '../db.ts'
import { OpenTransaction } from '../open-transaction.ts'
import type { Failure, Outcome } from './attempts.ts'
import type { PostgresPool } from './connection.ts'
import { findVectors, json, nowMs, rowLocks, sizeOf } from './dialect.ts'
import { asRefusal, isCollision, isLost, unanswered } from './errors.ts'

export interface TransactionPlan<T> {
  begin: string
  /** There is nothing to commit, so its end is not awaited. */
  isReading: boolean
  /** Whether the caller can find out the outcome if no answer comes. */
  canTell: boolean
  work: (tx: Db) => Promise<T>
  /** The transaction that the current chain of calls runs in. */
  current: AsyncLocalStorage<PostgresTransaction>
}

/** Runs `work` between BEGIN and COMMIT. Never rejects. */
export async function attemptTransaction<T>(
  pool: PostgresPool,
  client: PoolClient,
  plan: TransactionPlan<T>,
): Promise<Outcome<T>> {
  const tx = new PostgresTransaction(pool, client)
  const begun = pool.send(client, plan.begin)
  // Checked below, once `work` has settled.
  begun.catch(() => {})
  try {
    const result = await plan.current.run(tx, plan.work, tx)
    // A connection that was lost earlier shows here. Only a caller that can find out the outcome does not wait.
    if (!plan.canTell) await begun
    tx.end()
    if (plan.isReading) return closeReading(pool, client, result)
    return await commit(pool, client, { result, ahead: [begun, ...tx.ahead] })
  } catch (error) {
    tx.end()
    return await rollBack(client, await firstError([begun, ...tx.ahead], error))
  }
}

/** The next user of the connection sends its statements after this one. */
function closeReading<T>(pool: PostgresPool, client: PoolClient, result: T): Outcome<T> {
  pool.send(client, 'COMMIT').catch(() => {})
  return { kind: 'done', result }
}

/** The cause of `last`: after a statement has failed, PostgreSQL refuses all others of the transaction. */
async function firstError(sent: readonly Promise<unknown>[], last: unknown): Promise<unknown> {
  const settled = await Promise.allSettled(sent)
  const failed = settled.find(({ status }) => status === 'rejected')
  return failed ? (failed as PromiseRejectedResult).reason : last
}

async function commit<T>(
  pool: PostgresPool,
  client: PoolClient,
  { result, ahead }: { result: T; ahead: readonly Promise<unknown>[] },
): Promise<Outcome<T>> {
  if (pool.isBroken(client)) {
    const error = new Error('The connection was lost before COMMIT was sent.')
    return failure(error, { isLost: true, isRepeatable: true })
  }
  try {
    const { command } = await pool.send(client, 'COMMIT')
    if (command === 'COMMIT') return { kind: 'done', result }
  } catch (error) {
    // After a collision nothing was done. A lost connection leaves it unknown.
    if (isLost(error)) return { kind: 'unknown', result, error: unanswered(error) }
    return failure(error, { isLost: false, isRepeatable: isCollision(error) })
  }
  const message = 'A statement of the transaction had failed: all is undone.'
  const error = await firstError(ahead, new AppError('internal', message))
  return failure(error, { isLost: false, isRepeatable: isCollision(error) })
}

async function rollBack(client: PoolClient, error: unknown): Promise<Failure> {
  const isGone = await client.query('ROLLBACK').then(
    () => false,
    () => true,
  )
  const isRepeatable = isCollision(error) || (isGone && !(error instanceof AppError))
  return failure(error, { isLost: isGone, isRepeatable })
}

/** An error that `work` itself threw stays as it is. */
function failure(error: unknown, how: { isLost: boolean; isRepeatable: boolean }): Failure {
  const isOfDatabase = how.isLost || error instanceof DatabaseError
  return { kind: 'failed', error: isOfDatabase ? asRefusal(error) : error, ...how }
}

export class PostgresTransaction extends OpenTransaction<PoolClient> {
  readonly dialect = 'postgres'
  readonly json = json
  readonly rowLocks = rowLocks
  readonly nowMs = nowMs
  /** The statements whose results were not awaited. */
  readonly ahead: Promise<unknown>[] = []
  readonly #pool: PostgresPool

  constructor(pool: PostgresPool, client: PoolClient) {
    super(client)
    this.#pool = pool
  }

  async all<T>(sql: string, params: SqlValue[] = []): Promise<T[]> {
    return (await this.#pool.query(this.open(), { sql, params })).rows
  }

  async get<T>(sql: string, params: SqlValue[] = []): Promise<T | undefined> {
    return (await this.#pool.query(this.open(), { sql, params })).rows[0]
  }

  async run(sql: string, params: SqlValue[] = []): Promise<number> {
    return (await this.#pool.query(this.open(), { sql, params })).rowCount ?? 0
  }

  async runAhead(sql: string, params: SqlValue[] = []): Promise<void> {
    // A value that cannot be sent is refused here: PostgreSQL would commit without it.
    const query = this.#pool.toQuery({ sql, params })
    const sent = this.#pool.send(this.open(), query)
    // Checked with the commit.
    sent.catch(() => {})
    this.ahead.push(sent)
  }

  async script(sql: string): Promise<void> {
    await this.open().query(inPostgresWords(sql))
  }

  async batch(statements: readonly Statement[], condition?: Statement): Promise<boolean> {
    if (condition && !(await this.get(condition.sql, condition.params))) return false
    for (const { sql, params } of statements) await this.runAhead(sql, params)
    return true
  }

  async vectors(): Promise<VectorSql> {
    return findVectors(this)
  }

  sizeBytes(): Promise<number> {
    return sizeOf(this)
  }
}

/**
 * From the types of SQLite's strict tables, with which migrations are written once. In order, longer phrases first. A
 * trigger cannot be translated: it has a text of its own in the migration.
 */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [
    /\bINTEGER PRIMARY KEY( AUTOINCREMENT)?\b/g,
    'BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY',
  ],
  [/\bINTEGER\b/g, 'BIGINT'],
  [/\bREAL\b/g, 'DOUBLE PRECISION'],
  [/\bBLOB\b/g, 'BYTEA'],
  // Compares byte by byte, as SQLite does. The order of a language would mix up ids.
  [/\bTEXT\b(?!\))/g, 'TEXT COLLATE "C"'],
  [/\) STRICT(, WITHOUT ROWID)?;/g, ');'],
]

/** The statements for PostgreSQL, without comments; those are in the migration. */
function inPostgresWords(sql: string): string {
  const bare = sql.replace(/^\s*--.*\n/gm, '')
  return WORDS.reduce((text, [word, theirs]) => text.replace(word, theirs), bare)
}
