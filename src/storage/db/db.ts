/**
 * The one seam to a database. SQL is written by hand, with what SQLite and PostgreSQL have in common.
 * Where they differ, a member of `Db` gives the SQL, so that no store asks which database it has.
 */

/** A parameter of a statement. A boolean is 0 or 1, JSON is text, an absent value is `null`. */
export type SqlValue = string | number | bigint | null | Uint8Array

/** A row of a result: columns by name. The object has no prototype; blobs are Uint8Array. */
type Row = Record<string, SqlValue>

/**
 * A database, or an open transaction on it. Placeholders are `$1`, `$2`, …; one may be used several
 * times, and none may stand in a string literal. Each SQL text is prepared once and kept, so there must
 * be few texts: values are passed by placeholders, lists by the fragments of `json`.
 *
 * Errors of the database are thrown as they are, except for a lock that another process keeps too long:
 * `unavailable`.
 */
export interface Db {
  /** Every row; also those of `RETURNING`. */
  all<T = Row>(sql: string, params?: SqlValue[]): Promise<T[]>
  /** The first row. */
  get<T = Row>(sql: string, params?: SqlValue[]): Promise<T | undefined>
  /** Returns how many rows were inserted, changed or deleted. */
  run(sql: string, params?: SqlValue[]): Promise<number>
  /**
   * Like `run`, for a statement whose result is not needed. In a transaction on PostgreSQL it is only sent: the result
   * comes with the commit, which fails if the statement does.
   */
  runAhead(sql: string, params?: SqlValue[]): Promise<void>
  /**
   * Runs statements whose results are not needed, as one step: all of them, or none (`false`) when `condition`, a
   * SELECT, finds no row. On PostgreSQL this takes one round trip. When a connection is lost before the result, they
   * run again, so the second time must change nothing: each row has a key of its own, and is kept
   * (`ON CONFLICT DO NOTHING`) or gets the same content.
   */
  batch(statements: readonly Statement[], condition?: Statement): Promise<boolean>
  /**
   * Runs several statements without parameters, for migrations, with the types of SQLite's strict
   * tables.
   */
  script(sql: string): Promise<void>
  /**
   * Does everything that `work` does through `tx`, or nothing when it throws. `work` may run again from the start, so
   * it must change nothing but the database.
   *
   * Without `locks` the transaction behaves as if no other one wrote meanwhile. `locks` are names: only transactions
   * with one of the same names wait for each other, and other data may change from one statement to the next. With `[]`
   * it is all or nothing, and no more than that.
   *
   * Await nothing but the database in it, since others wait for its end. The outer `Db` may not be used within it
   * (`internal`), nor `tx` after it. On a `tx`, `work` joins the open transaction and its locks; an error that leaves
   * `work` must end the whole transaction.
   *
   * When a connection is lost during the commit, its outcome is unknown: `unavailable`, unless `wasCommitted` is given.
   * This runs in a transaction of its own with the same locks. It must first wait for the lost transaction, which may
   * still be ending, by touching a row that `work` has changed. If the commit failed, `work` runs again.
   */
  transaction<T>(
    work: (tx: Db) => Promise<T>,
    locks?: Locks,
    wasCommitted?: WasCommitted<T>,
  ): Promise<T>
  /**
   * Lets `work` read one state of the database with several statements. The rules of `transaction` apply;
   * it must not write.
   */
  snapshot<T>(work: (tx: Db) => Promise<T>): Promise<T>
  /** Whether its file is known to be removed. Then every statement throws `DatabaseAway`. */
  readonly isGone: boolean
  /** Throws `DatabaseAway` while its disk was full and is known to have hardly any room since. */
  requireRoom(): void
  /** The size of the database in bytes. */
  sizeBytes(): Promise<number>
  /** Waits for what is open, then closes. A second call is harmless. */
  close(): Promise<void>
  /** Only for migrations whose text cannot be shared. Stores use a fragment instead. */
  readonly dialect: Dialect
  /** SQL fragments over JSON text. */
  readonly json: JsonSql
  /** SQL fragments for vectors. Throws `unavailable` when the database cannot compare vectors. */
  vectors(): Promise<VectorSql>
  /** SQL: the database's own clock, in ms since 1970. One clock for all servers that share it. */
  readonly nowMs: string
  /** Put behind a SELECT of rows that must not change until the transaction ends. */
  readonly rowLocks: RowLocks
}

/** Whether the transaction whose `work` returned `result` was committed. */
export type WasCommitted<T> = (tx: Db, result: T) => Promise<boolean>

/** Each takes SQL expressions (a column or a placeholder) and returns SQL. */
export interface VectorSql {
  /** A vector as a parameter of a statement, to store or compare it. */
  encode(vector: readonly number[]): SqlValue
  /** The cosine distance of two vectors of one length, 0…2; NULL where one of them is all zeros. */
  cosineDistance(vector: string, other: string): string
}

export interface Statement {
  sql: string
  params: SqlValue[]
}

const DIALECTS = ['sqlite', 'postgres'] as const
export type Dialect = (typeof DIALECTS)[number]

/** Names of what a transaction decides about: the id of a thread, a key. */
export type Locks = readonly string[]

/** Each begins with a space. It is empty where no other transaction can write anyway. */
export interface RowLocks {
  /** Waits for transactions that lock one of the rows. */
  wait: string
  /** Skips locked rows. */
  skip: string
}

/** Each takes SQL expressions (a column or a placeholder) and returns SQL. */
export interface JsonSql {
  /** A subquery with the texts of a JSON array: `WHERE id IN ${json.texts('$1')}`. */
  texts(array: string): string
  /** A row source with the columns `key` and `value` (text) of a JSON object: `FROM ${…} AS e`. */
  entries(object: string): string
  /**
   * A condition: the object has each field of the object `wanted`, with an equal JSON value. It is one text for any
   * number of fields: 900 searches that differed in it kept 1.8 GB of prepared statements.
   */
  fieldsEqual(object: string, wanted: string): string
  /** A condition: the JSON `document` contains the JSON `wanted` (`core/exact-json.ts`). */
  contains(document: string, wanted: string): string
}
