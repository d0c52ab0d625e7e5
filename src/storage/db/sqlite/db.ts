/**
 * The Db port on SQLite: one connection with one user at a time.
 *
 * A statement outside a transaction waits for the open one, so that it neither takes part in it nor sees what may be
 * undone. There is no second connection for reading, since SQLite would work on the same thread anyway. Measured beside
 * constant checkpoints: a read takes 36 µs this way and 9 µs with a second connection; all the work together takes a
 * seventh more time. One rule for everything is worth that.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { LARGE, ownTurn, turnIfLong } from '../../../core/turn.ts'
import type { Db, JsonSql, RowLocks, SqlValue, Statement, VectorSql } from '../db.ts'
import { OpenTransaction, refuseWithin } from '../open-transaction.ts'
import { isBusy, whileBusy } from './busy.ts'
import { SqliteConnection } from './connection.ts'
import { cannotOpen } from './file.ts'
import { GroupedTransactions } from './grouped-transactions.ts'

/**
 * Opens the file. A missing one is created with its folder, readable by its owner only. Throws
 * `unavailable`, with the file's name, when it cannot be opened, is damaged or takes no writes.
 */
export async function openSqlite(path: string): Promise<Db> {
  let connection: SqliteConnection | undefined
  try {
    const opened = new SqliteConnection(path)
    connection = opened
    await whileBusy(path, () => opened.configure())
    return new SqliteDb(opened)
  } catch (error) {
    connection?.close()
    throw cannotOpen(path, error)
  }
}

const json: JsonSql = {
  texts: (array) => `(SELECT value FROM json_each(${array}))`,
  entries: (object) => `json_each(${object})`,
  fieldsEqual: (object, wanted) => `json_fields_equal(${object}, ${wanted})`,
  contains: (document, wanted) => `json_contains(${document}, ${wanted})`,
}

/** By `sqlite-vec`. Measured with 50,000 vectors of 384 numbers: 2 µs for each. */
const vectors: VectorSql = {
  encode: (vector) => new Uint8Array(Float32Array.from(vector).buffer),
  cosineDistance: (vector, other) => `vec_distance_cosine(${vector}, ${other})`,
}

/** Only one transaction writes at a time, so that what it has read cannot change. */
const rowLocks: RowLocks = { wait: '', skip: '' }
const nowMs = "CAST(unixepoch('subsec') * 1000 AS INTEGER)"
const SIZE = 'SELECT page_count * page_size AS bytes FROM pragma_page_count(), pragma_page_size()'

class SqliteDb implements Db {
  readonly dialect = 'sqlite'
  readonly json = json
  readonly rowLocks = rowLocks
  readonly nowMs = nowMs
  readonly #connection: SqliteConnection
  /** Lets one caller use the connection. */
  readonly #turns = new Mutex()
  readonly #transactions: GroupedTransactions
  /** The transaction that the current chain of calls runs in. */
  readonly #current = new AsyncLocalStorage<SqliteTransaction>()

  constructor(connection: SqliteConnection) {
    this.#connection = connection
    this.#transactions = new GroupedTransactions(connection, {
      takeTurn: (work) => this.#turns.take(work),
      withTransaction: (work) => this.#within(work),
    })
  }

  get isGone(): boolean {
    return this.#connection.isGone
  }

  requireRoom(): void {
    this.#connection.requireRoom()
  }

  all<T>(sql: string, params: SqlValue[] = []): Promise<T[]> {
    return this.#alone(() => this.#connection.all(sql, params) as T[])
  }

  get<T>(sql: string, params: SqlValue[] = []): Promise<T | undefined> {
    return this.#alone(() => this.#connection.get(sql, params) as T | undefined)
  }

  run(sql: string, params: SqlValue[] = []): Promise<number> {
    return this.#alone(() => this.#connection.run(sql, params))
  }

  async runAhead(sql: string, params: SqlValue[] = []): Promise<void> {
    await this.run(sql, params)
  }

  script(sql: string): Promise<void> {
    return this.#alone(() => this.#connection.script(sql))
  }

  batch(statements: readonly Statement[], condition?: Statement): Promise<boolean> {
    return this.transaction((tx) => tx.batch(statements, condition))
  }

  async transaction<T>(work: (tx: Db) => Promise<T>): Promise<T> {
    refuseWithin(this.#current.getStore())
    return this.#transactions.add(work)
  }

  async snapshot<T>(work: (tx: Db) => Promise<T>): Promise<T> {
    refuseWithin(this.#current.getStore())
    const connection = this.#connection
    return this.#turns.take(async () => {
      await whileBusy(connection.path, () => connection.beginReading())
      try {
        const result = await this.#within(work)
        connection.commit()
        return result
      } catch (error) {
        connection.rollback()
        throw error
      }
    })
  }

  vectors(): Promise<VectorSql> {
    return this.#alone(() => {
      this.#connection.loadVectors()
      return vectors
    })
  }

  sizeBytes(): Promise<number> {
    return sizeOf(this)
  }

  async close(): Promise<void> {
    await this.#transactions.settle()
    await this.#alone(() => this.#connection.close())
  }

  async #alone<T>(statement: () => T): Promise<T> {
    refuseWithin(this.#current.getStore())
    let began = performance.now()
    const answer = this.#atOnce(statement) ?? {
      of: await this.#turns.take(() =>
        whileBusy(this.#connection.path, () => {
          began = performance.now()
          return statement()
        }),
      ),
    }
    const pause = turnIfLong(began)
    if (pause) await pause
    return answer.of
  }

  /** `undefined`: other callers are in the way. */
  #atOnce<T>(statement: () => T): { of: T } | undefined {
    if (!this.#turns.isFree) return undefined
    try {
      return { of: statement() }
    } catch (error) {
      if (isBusy(error)) return undefined
      throw error
    }
  }

  /** Runs the work in the transaction that is open on the connection. */
  async #within<T>(work: (tx: Db) => Promise<T>): Promise<T> {
    const tx = new SqliteTransaction(this.#connection)
    try {
      return await this.#current.run(tx, work, tx)
    } finally {
      tx.end()
    }
  }
}

function isLarge(value: SqlValue): boolean {
  return (typeof value === 'string' || value instanceof Uint8Array) && value.length > LARGE
}

class SqliteTransaction extends OpenTransaction<SqliteConnection> {
  readonly dialect = 'sqlite'
  readonly json = json
  readonly rowLocks = rowLocks
  readonly nowMs = nowMs

  async all<T>(sql: string, params: SqlValue[] = []): Promise<T[]> {
    const began = performance.now()
    const rows = this.open().all(sql, params) as T[]
    const pause = turnIfLong(began)
    if (pause) await pause
    return rows
  }

  async get<T>(sql: string, params: SqlValue[] = []): Promise<T | undefined> {
    return this.open().get(sql, params) as T | undefined
  }

  async run(sql: string, params: SqlValue[] = []): Promise<number> {
    const changes = this.open().run(sql, params)
    if (params.some(isLarge)) await ownTurn()
    return changes
  }

  async runAhead(sql: string, params: SqlValue[] = []): Promise<void> {
    await this.run(sql, params)
  }

  async script(sql: string): Promise<void> {
    this.open().script(sql)
  }

  async batch(statements: readonly Statement[], condition?: Statement): Promise<boolean> {
    const connection = this.open()
    if (condition && connection.get(condition.sql, condition.params) === undefined) return false
    for (const { sql, params } of statements) {
      connection.run(sql, params)
      if (params.some(isLarge)) await ownTurn()
    }
    return true
  }

  async vectors(): Promise<VectorSql> {
    this.open().loadVectors()
    return vectors
  }

  sizeBytes(): Promise<number> {
    return sizeOf(this)
  }
}

async function sizeOf(db: Db): Promise<number> {
  const row = await db.get<{ bytes: number }>(SIZE)
  return row?.bytes ?? 0
}

/** Lets one caller in at a time, in the order of their calls. */
class Mutex {
  #isTaken = false
  readonly #waiting: (() => void)[] = []

  /** Whether no caller is in. Work that awaits nothing may then run without `take`. */
  get isFree(): boolean {
    return !this.#isTaken
  }

  /** Runs `work` when all earlier callers are done. */
  async take<T>(work: () => T | Promise<T>): Promise<T> {
    if (this.#isTaken) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    this.#isTaken = true
    try {
      return await work()
    } finally {
      this.#pass()
    }
  }

  // It stays taken when a caller waits, so that a new caller cannot overtake the woken one.
  #pass(): void {
    const next = this.#waiting.shift()
    if (next) next()
    else this.#isTaken = false
  }
}
