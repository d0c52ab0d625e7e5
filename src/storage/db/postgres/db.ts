/**
 * The Db port on PostgreSQL: a pool of connections, with one statement or transaction on each.
 *
 * Without `locks` a transaction is SERIALIZABLE, as if no other transaction wrote. With `locks` it is READ COMMITTED,
 * behind advisory locks of these names. A transaction that collided with another, or whose connection was lost before
 * COMMIT was sent, has done nothing and runs again. When the connection was lost later, the outcome is unknown: reads
 * and batches are repeated, a transaction is looked for if `wasCommitted` is given, and everything else is refused.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import type { PoolClient, QueryResult } from 'pg'
import { parseDatabaseUrl } from '../../../core/database-url.ts'
import { AppError } from '../../../core/errors.ts'
import type { Db, Locks, SqlValue, Statement, VectorSql, WasCommitted } from '../db.ts'
import { refuseWithin } from '../open-transaction.ts'
import { attemptBatch, attemptStatement, begin, beginSnapshot, type Outcome } from './attempts.ts'
import { PostgresPool } from './connection.ts'
import { findVectors, json, nowMs, rowLocks, sizeOf } from './dialect.ts'
import {
  attemptTransaction,
  type PostgresTransaction,
  type TransactionPlan,
} from './transaction.ts'

/** How often a statement or transaction is tried that collides or loses its connection. */
const MAX_TRIES = 30
/** How long to wait before the next try: a random time up to this, in ms. */
const MAX_BACKOFF_MS = 100

/**
 * Opens the database of `url` (`core/database-url.ts`). Its tables are in the URL's schema or else in
 * `schema`, which is made if missing. Throws `bad_request` for a wrong URL, `unavailable` when there is
 * no connection within seconds.
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

/** Removes the schema that the URL names. Throws `bad_request` when it names none. */
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

/** Makes the schema behind a lock: `IF NOT EXISTS` alone fails when two processes make it at once. */
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

class PostgresDb implements Db {
  readonly dialect = 'postgres'
  readonly json = json
  readonly rowLocks = rowLocks
  readonly nowMs = nowMs
  readonly pool: PostgresPool
  readonly #current = new AsyncLocalStorage<PostgresTransaction>()

  constructor(pool: PostgresPool) {
    this.pool = pool
  }

  async all<T>(sql: string, params: SqlValue[] = []): Promise<T[]> {
    return (await this.#statement({ sql, params })).rows
  }

  async get<T>(sql: string, params: SqlValue[] = []): Promise<T | undefined> {
    return (await this.#statement({ sql, params })).rows[0]
  }

  async run(sql: string, params: SqlValue[] = []): Promise<number> {
    return (await this.#statement({ sql, params })).rowCount ?? 0
  }

  async runAhead(sql: string, params: SqlValue[] = []): Promise<void> {
    await this.run(sql, params)
  }

  /** A missing server shows with each statement. */
  get isGone(): boolean {
    return false
  }

  /** A full disk shows with each write. */
  requireRoom(): void {}

  script(sql: string): Promise<void> {
    return this.transaction((tx) => tx.script(sql), [])
  }

  batch(statements: readonly Statement[], condition?: Statement): Promise<boolean> {
    return this.#repeat((client) => attemptBatch(this.pool, client, statements, condition))
  }

  transaction<T>(
    work: (tx: Db) => Promise<T>,
    locks?: Locks,
    wasCommitted?: WasCommitted<T>,
  ): Promise<T> {
    const attempt = this.#attempt({
      ...{ begin: begin(this.pool, locks), work },
      ...{ isReading: false, canTell: wasCommitted !== undefined },
    })
    if (!wasCommitted) return this.#repeat(attempt)
    return this.#repeat(attempt, (result) =>
      this.transaction(
        (tx) => wasCommitted(tx, result),
        locks,
        async () => true,
      ),
    )
  }

  snapshot<T>(work: (tx: Db) => Promise<T>): Promise<T> {
    const attempt = this.#attempt({
      ...{ begin: beginSnapshot(this.pool), work },
      ...{ isReading: true, canTell: false },
    })
    return this.#repeat(attempt)
  }

  async vectors(): Promise<VectorSql> {
    return findVectors(this)
  }

  sizeBytes(): Promise<number> {
    return sizeOf(this)
  }

  close(): Promise<void> {
    return this.pool.close()
  }

  #statement(statement: Statement): Promise<QueryResult> {
    return this.#repeat((client) => attemptStatement(this.pool, client, statement))
  }

  #attempt<T>(plan: Omit<TransactionPlan<T>, 'current'>): Attempt<T> {
    const current = this.#current
    return (client) => attemptTransaction(this.pool, client, { ...plan, current })
  }

  /** Repeats the attempt until it is done or certain to fail. `wasCommitted` clears up an unknown result. */
  async #repeat<T>(
    attempt: Attempt<T>,
    wasCommitted?: (result: T) => Promise<boolean>,
  ): Promise<T> {
    refuseWithin(this.#current.getStore())
    for (let tries = 1; ; tries += 1) {
      const client = await this.pool.acquire()
      const outcome = await attempt(client)
      client.release(outcome.kind === 'unknown' || (outcome.kind === 'failed' && outcome.isLost))
      if (outcome.kind === 'done') return outcome.result
      const isUnknown = outcome.kind === 'unknown'
      if (isUnknown && (await wasCommitted?.(outcome.result))) return outcome.result
      const isRepeatable = isUnknown ? wasCommitted !== undefined : outcome.isRepeatable
      if (!isRepeatable || tries >= MAX_TRIES) throw outcome.error
      await sleep(Math.random() * Math.min(MAX_BACKOFF_MS, 2 ** tries))
    }
  }
}

type Attempt<T> = (client: PoolClient) => Promise<Outcome<T>>
