/**
 * The one seam to a database. SQL is written by hand, in the words that SQLite and PostgreSQL share;
 * where they differ a member says how, so that no store asks which database it has.
 */

/** What a statement takes. A truth is 0 or 1, JSON is text, an absent value is `null`. */
export type SqlValue = string | number | bigint | null | Uint8Array

/** What a statement answers: columns by name. The object has no prototype; blobs are Uint8Array. */
type Row = Record<string, SqlValue>

/**
 * A database, or one open transaction on it. Placeholders are `$1`, `$2`, …; one may be used several
 * times, none may stand within a string literal. Each SQL text is prepared once and kept, so texts
 * must be few: values go through placeholders, lists through the fragments of `json`.
 *
 * Errors of the database are thrown as they come, but for a lock that another process keeps too
 * long: `unavailable`.
 */
export interface Db {
  /** Every row; also those of `RETURNING`. */
  all<T = Row>(sql: string, params?: SqlValue[]): Promise<T[]>
  /** The first row. */
  get<T = Row>(sql: string, params?: SqlValue[]): Promise<T | undefined>
  /** Answers how many rows were inserted, changed or deleted. */
  run(sql: string, params?: SqlValue[]): Promise<number>
  /**
   * Statements of which nobody needs the answers, as one step and on PostgreSQL in one round trip: all
   * of them, or none when `condition`, a SELECT, finds no row (`false`). Where a connection was lost
   * before the answer came they are done again, so the second time must change nothing: rows with keys
   * of their own, that are kept (`ON CONFLICT DO NOTHING`) or given the same content.
   */
  batch(statements: readonly Statement[], condition?: Statement): Promise<boolean>
  /** Several statements without parameters, for migrations: types as in SQLite's strict tables. */
  script(sql: string): Promise<void>
  /**
   * All that `work` does through its `tx`, or nothing when it throws. It may be run again from the
   * start, so it must change nothing but the database.
   *
   * Without `locks` it is as if no one else wrote meanwhile. With `locks`, which are names, only who
   * names one of them too waits for its end; what it reads of anything else may change from one
   * statement to the next. `[]`: all or nothing, and no more than that.
   *
   * Await nothing but the database in it: others wait for its end. The outer `Db` may not be used
   * within (`internal`), nor `tx` after it. On a `tx` itself `work` joins the open transaction, whose
   * locks are those that count; an error that comes out of it must end the whole.
   *
   * A connection that is lost while it commits leaves open whether all was done: `unavailable`, unless
   * `wasCommitted` can tell. It is asked in a transaction of its own with the same locks, and must first
   * wait for the other one, which may still be about to end, by touching a row that `work` has
   * changed. What was not done is run again.
   */
  transaction<T>(
    work: (tx: Db) => Promise<T>,
    locks?: Locks,
    wasCommitted?: WasCommitted<T>,
  ): Promise<T>
  /** Lets `work` read one state of the database in several statements. Same rules; no writing. */
  snapshot<T>(work: (tx: Db) => Promise<T>): Promise<T>
  /** Whether what it writes to is known to be lost: a file that was removed. It throws `DatabaseAway` then. */
  readonly isGone: boolean
  /** How much room all of it takes, in bytes. */
  sizeBytes(): Promise<number>
  /** Waits for what is open, then closes. A second `close` is harmless. */
  close(): Promise<void>
  /** For migrations only, where a text cannot be shared. A store asks for a fragment instead. */
  readonly dialect: Dialect
  /** SQL fragments over JSON text. */
  readonly json: JsonSql
  /** SQL fragments over vectors. Throws `unavailable` where the database cannot compare any. */
  vectors(): Promise<VectorSql>
  /** What is put behind a SELECT of rows that must stay as they are until the transaction ends. */
  readonly rowLocks: RowLocks
}

/** Whether a transaction whose `work` answered `result` is there. */
export type WasCommitted<T> = (tx: Db, result: T) => Promise<boolean>

/** Each takes SQL expressions (a column or a placeholder) and answers SQL. */
export interface VectorSql {
  /** A vector as a statement takes it, to be stored or compared. */
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

/** Names of what a transaction decides about: a thread's id, a key. */
export type Locks = readonly string[]

/** Each begins with a space, or is empty where nobody else can write anyway. */
export interface RowLocks {
  /** Waits for who holds one of the rows. */
  wait: string
  /** Passes over rows that are held. */
  skip: string
}

/** Each takes SQL expressions (a column or a placeholder) and answers SQL. */
export interface JsonSql {
  /** A subquery with the texts of a JSON array: `WHERE id IN ${json.texts('$1')}`. */
  texts(array: string): string
  /** A row source with the columns `key` and `value` (text) of a JSON object: `FROM ${…} AS e`. */
  entries(object: string): string
  /** A condition: the object has this key, and there this JSON value. */
  fieldEquals(object: string, key: string, value: string): string
  /** A condition: the JSON `document` contains the JSON `wanted` (`core/json-containment.ts`). */
  contains(document: string, wanted: string): string
}
