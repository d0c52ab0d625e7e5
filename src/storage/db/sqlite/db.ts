/**
 * The Db port on SQLite: one connection with one user at a time, and a thread with another one for what is much
 * (`writer-thread.ts`), of which only one writes.
 *
 * A statement outside a transaction waits for the open one, so that it neither takes part in it nor sees
 * what may be undone. It does not wait for the thread unless it writes. There is no second connection for reading on
 * this thread, since SQLite would work on it anyway. Measured beside constant checkpoints: a read takes 36 µs this way and 9 µs with a second
 * connection; all the work together takes a seventh more time. One rule for everything is worth that.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { LARGE, ownTurn, turnIfLong } from '../../../core/turn.ts'
import type { Db, DbThread, JsonSql, RowLocks, SqlValue, Statement, VectorSql } from '../db.ts'
import { Mutex } from '../mutex.ts'
import { OpenTransaction, refuseWithin } from '../open-transaction.ts'
import { isBusy, whileBusy } from './busy.ts'
import { SqliteConnection } from './connection.ts'
import { cannotOpen } from './file.ts'
import { GroupedTransactions } from './grouped-transactions.ts'
import { JournalThread, SPARE_PAGES } from './journal-thread.ts'
import { WriterThread } from './writer-thread.ts'

/**
 * Opens the file. A missing one is created with its folder, readable by its owner only. Throws
 * `unavailable`, with the file's name, when it cannot be opened, is damaged or takes no writes.
 */
export async function openSqlite(path: string): Promise<Db> {
  const connection = await openConnection(path)
  return new SqliteDb(connection, { isOfThread: false })
}

/** The same within a thread of somebody who has the file open, and a thread that copies its journal. */
export async function openSqliteForThread(path: string): Promise<Db> {
  const connection = await openConnection(path)
  connection.copyFrom(SPARE_PAGES)
  return new SqliteDb(connection, { isOfThread: true })
}

async function openConnection(path: string): Promise<SqliteConnection> {
  let connection: SqliteConnection | undefined
  try {
    const opened = new SqliteConnection(path)
    connection = opened
    await whileBusy(path, () => opened.configure())
    return opened
  } catch (error) {
    connection?.close()
    throw cannotOpen(path, error)
  }
}

/** Equal ones of these types may have different texts: `2` and `2.0`, and the same keys in another order. */
const MAY_DIFFER_IN_TEXT = "'integer', 'real', 'array', 'object'"

const json: JsonSql = {
  texts: (array) => `(SELECT value FROM json_each(${array}))`,
  entries: (object) => `json_each(${object})`,
  fieldEquals: (object, key, value) =>
    `EXISTS (SELECT 1 FROM json_each(${object}) AS field WHERE field.key = ${key} AND (
      ${object} -> field.fullkey = json(${value}) OR field.type IN (${MAY_DIFFER_IN_TEXT})
        AND json_equals(${object} -> field.fullkey, ${value})))`,
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
  /** Whoever writes is in, on this connection or on the thread's. It comes before `#turns`. */
  readonly #writing = new Mutex()
  /** Whoever uses the connection is in. */
  readonly #turns = new Mutex()
  readonly #transactions: GroupedTransactions
  readonly #threads: Threads | undefined
  /** Called when a large value was written: the commit would copy it, and wait for the disk. */
  readonly #onLarge = () => this.#threads?.journal.hurry()
  /** The transaction that the current chain of calls runs in. */
  readonly #current = new AsyncLocalStorage<SqliteTransaction>()

  constructor(connection: SqliteConnection, { isOfThread }: { isOfThread: boolean }) {
    this.#connection = connection
    const isAlone = isOfThread || connection.path === ':memory:'
    this.#threads = isAlone ? undefined : threadsOf(connection, this.#writing)
    this.#transactions = new GroupedTransactions(connection, {
      takeTurn: (work) => this.#takeTurn(false, work),
      withTransaction: (work) => this.#within(work),
      onCommit: () => this.#threads?.journal.look(connection.writeCount),
    })
  }

  get thread(): DbThread | undefined {
    // What is wrong shows where it is done here.
    if (this.isGone || this.#current.getStore()?.isOpen) return undefined
    return this.#threads?.writer
  }

  get isGone(): boolean {
    return this.#connection.isGone
  }

  get writeCount(): number {
    return this.#connection.writeCount
  }

  requireRoom(): void {
    this.#connection.requireRoom()
  }

  all<T>(sql: string, params: SqlValue[] = []): Promise<T[]> {
    return this.#alone(this.#connection.isRead(sql), () => this.#connection.all(sql, params) as T[])
  }

  get<T>(sql: string, params: SqlValue[] = []): Promise<T | undefined> {
    return this.#alone(
      this.#connection.isRead(sql),
      () => this.#connection.get(sql, params) as T | undefined,
    )
  }

  run(sql: string, params: SqlValue[] = []): Promise<number> {
    return this.#alone(this.#connection.isRead(sql), () => this.#connection.run(sql, params))
  }

  async runAhead(sql: string, params: SqlValue[] = []): Promise<void> {
    await this.run(sql, params)
  }

  script(sql: string): Promise<void> {
    return this.#alone(false, () => this.#connection.script(sql))
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
    return this.#takeTurn(true, async () => {
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
    return this.#alone(true, () => {
      this.#connection.loadVectors()
      return vectors
    })
  }

  sizeBytes(): Promise<number> {
    return sizeOf(this)
  }

  async close(): Promise<void> {
    await this.#transactions.settle()
    await this.#threads?.writer.stop()
    await this.#threads?.journal.stop()
    await this.#alone(false, () => this.#connection.close())
  }

  async #alone<T>(isRead: boolean, statement: () => T): Promise<T> {
    refuseWithin(this.#current.getStore())
    let began = performance.now()
    const answer = this.#atOnce(isRead, statement) ?? {
      of: await this.#takeTurn(isRead, () =>
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

  /** `undefined`: others are in the way. */
  #atOnce<T>(isRead: boolean, statement: () => T): { of: T } | undefined {
    if (!this.#turns.isFree || !(isRead || this.#writing.isFree)) return undefined
    try {
      return { of: statement() }
    } catch (error) {
      if (isBusy(error)) return undefined
      throw error
    }
  }

  /** Who reads waits behind others that are waiting for this connection, but not for the thread. */
  #takeTurn<T>(isRead: boolean, work: () => Promise<T>): Promise<T> {
    const isAtOnce = isRead && this.#turns.isFree
    return isAtOnce ? this.#turns.take(work) : this.#writing.take(() => this.#turns.take(work))
  }

  /** Runs the work in the transaction that is open on the connection. */
  async #within<T>(work: (tx: Db) => Promise<T>): Promise<T> {
    const tx = new SqliteTransaction(this.#connection, this.#onLarge)
    try {
      return await this.#current.run(tx, work, tx)
    } finally {
      tx.end()
    }
  }
}

interface Threads {
  journal: JournalThread
  writer: WriterThread
}

function threadsOf(connection: SqliteConnection, writing: Mutex): Threads {
  const { path } = connection
  const journal = new JournalThread({ path, setOwnPages: (pages) => connection.copyFrom(pages) })
  const onWrite = (count: number) => {
    connection.noteWrites(count)
    journal.look(connection.writeCount)
  }
  const onBegin = () => journal.hurry()
  return { journal, writer: new WriterThread({ path, writing, onBegin, onWrite }) }
}

function isLarge(value: SqlValue): boolean {
  return (typeof value === 'string' || value instanceof Uint8Array) && value.length > LARGE
}

class SqliteTransaction extends OpenTransaction<SqliteConnection> {
  readonly #onLarge: () => void

  constructor(connection: SqliteConnection, onLarge: () => void) {
    super(connection)
    this.#onLarge = onLarge
  }

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
    if (params.some(isLarge)) await this.#afterLarge()
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
      if (params.some(isLarge)) await this.#afterLarge()
    }
    return true
  }

  /** Nobody else comes to the connection meanwhile. */
  #afterLarge(): Promise<void> {
    this.#onLarge()
    return ownTurn()
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
