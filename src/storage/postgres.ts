/**
 * The Db port on PostgreSQL: a pool of connections, one statement or one transaction on each.
 *
 * BEGIN travels with a transaction's first statement and costs no round trip of its own. Without
 * `locks` a transaction is SERIALIZABLE, so that it is as if nobody else wrote; with them READ
 * COMMITTED, behind advisory locks of these names. A transaction that collided with another, or whose
 * connection was lost before COMMIT was sent, has done nothing and is run again.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { DatabaseError, type PoolClient, type QueryResult } from 'pg'
import { parseDatabaseUrl } from '../core/database-url.ts'
import { AppError } from '../core/errors.ts'
import type { Db, Locks, RowLocks, SqlValue, Statement, VectorSql } from './db.ts'
import { PostgresPool } from './postgres-connection.ts'
import { asRefusal, isCollision, isLost, isStopped } from './postgres-errors.ts'
import { json } from './postgres-json.ts'
import { findVectors } from './postgres-vectors.ts'
import { inPostgresWords } from './postgres-words.ts'

/** How often a transaction that is in others' way is run before it is given up. */
const MAX_TRIES = 30
/** How long to wait before it is tried again, in ms, at most and by chance. */
const MAX_BACKOFF_MS = 100

const rowLocks: RowLocks = { wait: ' FOR NO KEY UPDATE', skip: ' FOR NO KEY UPDATE SKIP LOCKED' }

/**
 * Opens the database of `url` (`core/database-url.ts`), with the tables in the URL's schema or else
 * in `schema`, which is made where it is missing. Throws `bad_request` for the URL, `unavailable`
 * when there is no connection within seconds.
 */
export async function openPostgres(url: string, schema: string): Promise<Db> {
  const parsed = parseDatabaseUrl(url)
  const db = new PostgresDb(new PostgresPool(parsed, parsed.schema ?? schema))
  try {
    await prepare(db)
  } catch (error) {
    await db.close()
    throw error
  }
  return db
}

/** Removes the schema that the URL names; `bad_request` when it names none. */
export async function dropPostgresSchema(url: string): Promise<void> {
  const parsed = parseDatabaseUrl(url)
  const { schema } = parsed
  if (schema === undefined) throw new AppError('bad_request', 'The URL must name a schema to drop.')
  const db = new PostgresDb(new PostgresPool(parsed, schema))
  try {
    const drop = `DROP SCHEMA IF EXISTS ${schema} CASCADE`
    await db.transaction((tx) => tx.script(drop), ['schema'])
  } finally {
    await db.close()
  }
}

/** Behind a lock: `IF NOT EXISTS` alone fails where two make the same schema at once. */
async function prepare(db: PostgresDb): Promise<void> {
  const { schema } = db.pool
  await db.transaction(
    async (tx) => {
      const encoding = await tx.get<{ encoding: string }>(
        'SELECT pg_encoding_to_char(encoding) AS encoding FROM pg_database WHERE datname = current_database()',
      )
      if (encoding?.encoding !== 'UTF8') throw notUtf8(encoding?.encoding)
      const found = await tx.get('SELECT 1 FROM pg_namespace WHERE nspname = $1', [schema])
      if (!found) await tx.script(`CREATE SCHEMA ${schema}`)
    },
    ['schema'],
  )
}

function notUtf8(encoding: string | undefined): AppError {
  const message = `The database keeps its texts as ${encoding}: make one with ENCODING 'UTF8'.`
  return new AppError('bad_request', message)
}

/** The transaction that the current chain of calls runs in. */
const current = new AsyncLocalStorage<PostgresTransaction>()

class PostgresDb implements Db {
  readonly dialect = 'postgres'
  readonly json = json
  readonly rowLocks = rowLocks
  readonly pool: PostgresPool

  constructor(pool: PostgresPool) {
    this.pool = pool
  }

  async all<T>(sql: string, params: SqlValue[] = []): Promise<T[]> {
    return (await this.#statement(sql, params)).rows
  }

  async get<T>(sql: string, params: SqlValue[] = []): Promise<T | undefined> {
    return (await this.#statement(sql, params)).rows[0]
  }

  async run(sql: string, params: SqlValue[] = []): Promise<number> {
    return (await this.#statement(sql, params)).rowCount ?? 0
  }

  script(sql: string): Promise<void> {
    return this.transaction((tx) => tx.script(sql), [])
  }

  async batch(statements: readonly Statement[], condition?: Statement): Promise<boolean> {
    this.#refuseWithin()
    for (let tries = 1; ; tries += 1) {
      const client = await this.pool.acquire()
      const failure = await sendBatch(this.pool, client, statements, condition)
      client.release(failure !== undefined && isLost(failure))
      if (failure === undefined) return true
      if (isStopped(failure)) return false
      const isWorthRepeating = isLost(failure) || isCollision(failure)
      if (!isWorthRepeating || tries >= MAX_TRIES) throw asRefusal(failure)
    }
  }

  transaction<T>(work: (tx: Db) => Promise<T>, locks?: Locks): Promise<T> {
    return this.#repeat(begin(this.pool, locks), work)
  }

  async vectors(): Promise<VectorSql> {
    return findVectors(this)
  }

  snapshot<T>(work: (tx: Db) => Promise<T>): Promise<T> {
    const sql = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; ${this.pool.perTransaction}`
    return this.#repeat(sql, work)
  }

  sizeBytes(): Promise<number> {
    return sizeOf(this)
  }

  close(): Promise<void> {
    return this.pool.close()
  }

  /** A read whose connection was lost is asked again; a write may have been done. */
  async #statement(sql: string, params: SqlValue[]): Promise<QueryResult> {
    this.#refuseWithin()
    for (let tries = 1; ; tries += 1) {
      const client = await this.pool.acquire()
      let failure: unknown
      try {
        return await this.#send(client, sql, params)
      } catch (error) {
        failure = error
      } finally {
        client.release(failure !== undefined && isLost(failure))
      }
      if (!isLost(failure) || !isRead(sql) || tries > MAX_TRIES) throw asRefusal(failure)
    }
  }

  async #send(client: PoolClient, sql: string, params: SqlValue[]): Promise<QueryResult> {
    const { pool } = this
    if (!pool.isShared) return pool.query(client, sql, params)
    // Sent together: one round trip.
    const [, result] = await Promise.all([
      client.query(`BEGIN ISOLATION LEVEL READ COMMITTED; ${pool.perTransaction}`),
      pool.query(client, sql, params),
      client.query('COMMIT'),
    ])
    return result
  }

  async #repeat<T>(begin: string, work: (tx: Db) => Promise<T>): Promise<T> {
    this.#refuseWithin()
    for (let tries = 1; ; tries += 1) {
      const client = await this.pool.acquire()
      const outcome = await attempt(this.pool, client, begin, work)
      client.release(outcome.isLost)
      if ('result' in outcome) return outcome.result
      if (!outcome.isWorthRepeating || tries >= MAX_TRIES) throw refusalOf(outcome)
      await sleep(Math.random() * Math.min(MAX_BACKOFF_MS, 2 ** tries))
    }
  }

  // It would wait for a connection that the transaction may be holding.
  #refuseWithin(): void {
    if (!current.getStore()?.isOpenOn(this.pool)) return
    throw new AppError('internal', 'Within a transaction only what it was handed may be used.')
  }
}

const SIZE = `
SELECT CAST(coalesce(sum(pg_total_relation_size(c.oid)), 0) AS BIGINT) AS bytes
FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE n.nspname = current_schema() AND c.relkind = 'r'`

/** Of the schema's tables, with their indexes. */
async function sizeOf(db: Db): Promise<number> {
  const row = await db.get<{ bytes: number }>(SIZE)
  return Number(row?.bytes ?? 0)
}

/** Sends all of it at once. Answers the first failure, after which nothing has been done. */
async function sendBatch(
  pool: PostgresPool,
  client: PoolClient,
  statements: readonly Statement[],
  condition: Statement | undefined,
): Promise<unknown> {
  const all = condition ? [stopUnless(condition), ...statements] : statements
  const sent = [
    client.query(begin(pool, [])),
    ...all.map(({ sql, params }) => pool.query(client, sql, params)),
    client.query('COMMIT'),
  ]
  const results = await Promise.allSettled(sent)
  return results.find((result) => result.status === 'rejected')?.reason
}

/** Only an error stops what was sent along with it: a division by the number of rows. */
function stopUnless({ sql, params }: Statement): Statement {
  return { sql: `SELECT 1 / count(*) FROM (${sql}) AS condition`, params }
}

/** The names are hashed with the schema: advisory locks are of the whole database. */
function begin({ schema, perTransaction }: PostgresPool, locks: Locks | undefined): string {
  const isolation = locks ? 'READ COMMITTED' : 'SERIALIZABLE'
  const keys = [...new Set(locks)].map((lock) => lockKey(schema, lock)).toSorted(ascending)
  const take = keys.map((key) => `pg_advisory_xact_lock(${key})`)
  const wait = take.length > 0 ? `SELECT ${take.join(', ')};` : ''
  return `BEGIN ISOLATION LEVEL ${isolation}; ${perTransaction} ${wait}`
}

function lockKey(schema: string, lock: string): bigint {
  const digest = createHash('sha1').update(`${schema}\n${lock}`).digest()
  return digest.readBigInt64BE()
}

function ascending(a: bigint, b: bigint): number {
  return a < b ? -1 : 1
}

function isRead(sql: string): boolean {
  return /^\s*SELECT\b/.test(sql)
}

interface Failure {
  error: unknown
  isLost: boolean
  isWorthRepeating: boolean
}

type Outcome<T> = { result: T; isLost: false } | Failure

/** What `work` threw by itself is thrown as it is. */
function refusalOf({ error, isLost }: Failure): unknown {
  return isLost || error instanceof DatabaseError ? asRefusal(error) : error
}

/** Runs `work` between BEGIN and COMMIT. Never rejects. */
async function attempt<T>(
  pool: PostgresPool,
  client: PoolClient,
  beginSql: string,
  work: (tx: Db) => Promise<T>,
): Promise<Outcome<T>> {
  const tx = new PostgresTransaction(pool, client)
  const begun = client.query(beginSql)
  // Looked at below, once `work` has settled.
  begun.catch(() => {})
  try {
    const result = await current.run(tx, work, tx)
    await begun
    tx.end()
    return await commit(client, result)
  } catch (error) {
    tx.end()
    return await rollBack(
      client,
      await begun.then(
        () => error,
        (first: unknown) => first,
      ),
    )
  }
}

async function commit<T>(client: PoolClient, result: T): Promise<Outcome<T>> {
  try {
    const { command } = await client.query('COMMIT')
    if (command === 'COMMIT') return { result, isLost: false }
  } catch (error) {
    // Told apart: a collision was found before anything was done, a lost connection tells nothing.
    return { error, isLost: isLost(error), isWorthRepeating: isCollision(error) }
  }
  const error = new AppError(
    'internal',
    'A statement of the transaction had failed: all is undone.',
  )
  return { error, isLost: false, isWorthRepeating: false }
}

async function rollBack<T>(client: PoolClient, error: unknown): Promise<Outcome<T>> {
  const isGone = await client.query('ROLLBACK').then(
    () => false,
    () => true,
  )
  const isWorthRepeating = isCollision(error) || (isGone && !(error instanceof AppError))
  return { error, isLost: isGone, isWorthRepeating }
}

class PostgresTransaction implements Db {
  readonly dialect = 'postgres'
  readonly json = json
  readonly rowLocks = rowLocks
  readonly #pool: PostgresPool
  #client: PoolClient | undefined

  constructor(pool: PostgresPool, client: PoolClient) {
    this.#pool = pool
    this.#client = client
  }

  isOpenOn(pool: PostgresPool): boolean {
    return this.#client !== undefined && this.#pool === pool
  }

  end(): void {
    this.#client = undefined
  }

  async all<T>(sql: string, params: SqlValue[] = []): Promise<T[]> {
    return (await this.#pool.query(this.#open(), sql, params)).rows
  }

  async get<T>(sql: string, params: SqlValue[] = []): Promise<T | undefined> {
    return (await this.#pool.query(this.#open(), sql, params)).rows[0]
  }

  async run(sql: string, params: SqlValue[] = []): Promise<number> {
    return (await this.#pool.query(this.#open(), sql, params)).rowCount ?? 0
  }

  async script(sql: string): Promise<void> {
    await this.#open().query(inPostgresWords(sql))
  }

  async batch(statements: readonly Statement[], condition?: Statement): Promise<boolean> {
    if (condition && !(await this.get(condition.sql, condition.params))) return false
    await Promise.all(statements.map(({ sql, params }) => this.run(sql, params)))
    return true
  }

  async transaction<T>(work: (tx: Db) => Promise<T>): Promise<T> {
    this.#open()
    return work(this)
  }

  async snapshot<T>(work: (tx: Db) => Promise<T>): Promise<T> {
    this.#open()
    return work(this)
  }

  async vectors(): Promise<VectorSql> {
    return findVectors(this)
  }

  sizeBytes(): Promise<number> {
    return sizeOf(this)
  }

  async close(): Promise<void> {
    throw new AppError('internal', 'A transaction is not closed: it ends with its work.')
  }

  #open(): PoolClient {
    if (this.#client) return this.#client
    throw new AppError('internal', 'The transaction is over: what it was handed is no more of use.')
  }
}
