/** One open SQLite file: its settings and its prepared statements. Nothing here waits. */
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { getLoadablePath } from 'sqlite-vec'
import { AppError } from '../../../core/errors.ts'
import { containsJson, equalsJson, parseJson } from '../../../core/exact-json.ts'
import { isObject, type JsonObject } from '../../../core/json.ts'
import type { SqlValue } from '../db.ts'
import { DatabaseFile } from './file.ts'

export class SqliteConnection {
  readonly #file: DatabaseFile
  readonly #database: DatabaseSync
  readonly #statements = new Map<string, StatementSync>()
  #hasVectors = false

  constructor(path: string) {
    this.#file = new DatabaseFile(path)
    this.#file.create()
    this.#database = new DatabaseSync(path, {
      timeout: 0,
      enableForeignKeyConstraints: true,
      allowExtension: true,
    })
    this.#database.enableLoadExtension(false)
    this.#database.function('json_contains', { deterministic: true }, jsonContains)
    this.#database.function('json_fields_equal', { deterministic: true }, jsonFieldsEqual)
  }

  get path(): string {
    return this.#file.path
  }

  get isGone(): boolean {
    return this.#file.isGone
  }

  /** See `Db`. */
  requireRoom(): void {
    this.#file.requireRoom()
  }

  /**
   * WAL: readers do not wait for the writer. NORMAL: the operating system has each commit, so that it survives kill -9.
   * Only a power cut can lose the last commits, and never the file. An fsync for each of a run's many small commits
   * would cost more than all the rest.
   *
   * MEMORY: a savepoint keeps each page as it was before, and 64 kB of them would go to a temporary file. With 16
   * clients a run wrote 336 kB in 151 writes, and 81 kB in 38 without that file: 0.885 of its processor time, 1.13 of
   * the runs a second. A migration sorts in memory as well, for a new index.
   *
   * 4,000 pages: the commit that fills the journal copies it into the file and waits for the disk, up to 33 ms. With
   * SQLite's default of 1,000 the longest was 20 ms, four times as often, at 0.91 of the runs a second.
   */
  configure(): void {
    this.#database.exec('PRAGMA journal_mode = WAL')
    this.#database.exec('PRAGMA synchronous = NORMAL')
    this.#database.exec('PRAGMA temp_store = MEMORY')
    this.#database.exec('PRAGMA wal_autocheckpoint = 4000')
    this.#file.note()
  }

  all(sql: string, params: SqlValue[]): unknown[] {
    return this.#known(() => this.#prepare(sql).all(...params))
  }

  get(sql: string, params: SqlValue[]): unknown {
    return this.#known(() => this.#prepare(sql).get(...params))
  }

  run(sql: string, params: SqlValue[]): number {
    return this.#known(() => Number(this.#prepare(sql).run(...params).changes))
  }

  /** Only our own migrations come here: they may also change the text of the schema (`replaceCheck`). */
  script(sql: string): void {
    this.#setDefensive(false)
    try {
      this.#known(() => this.#database.exec(sql))
    } finally {
      this.#setDefensive(true)
    }
  }

  /** Node before 24.12 lacks the method, and opens databases without that mode. */
  #setDefensive(isOn: boolean): void {
    if ('enableDefensive' in this.#database && this.#database.isOpen) {
      this.#database.enableDefensive(isOn)
    }
  }

  /** Adds the functions of `sqlite-vec`, once. Throws `unavailable`. */
  loadVectors(): void {
    if (this.#hasVectors) return
    try {
      this.#database.enableLoadExtension(true)
      this.#database.loadExtension(getLoadablePath())
      this.#hasVectors = true
    } catch (cause) {
      const what = 'Items cannot be searched by meaning: sqlite-vec could not be loaded here'
      throw new AppError('unavailable', `${what} (${(cause as Error).message}).`, { cause })
    } finally {
      this.#database.enableLoadExtension(false)
    }
  }

  beginWriting(): void {
    this.run('BEGIN IMMEDIATE', [])
  }

  /** Begins to read: this decides which state is seen, and is where a lock may be in the way. */
  beginReading(): void {
    this.run('BEGIN', [])
    try {
      this.get('SELECT 1 FROM sqlite_schema LIMIT 1', [])
    } catch (error) {
      this.rollback()
      throw error
    }
  }

  commit(): void {
    this.run('COMMIT', [])
  }

  /** Marks where `undoSaved` leads back to, within a transaction. Marks are not nested. */
  save(): void {
    this.run('SAVEPOINT one', [])
  }

  keepSaved(): void {
    this.run('RELEASE one', [])
  }

  /** Undoes what was done since `save`. Throws when SQLite has ended the whole transaction. */
  undoSaved(): void {
    this.run('ROLLBACK TO one', [])
    this.run('RELEASE one', [])
  }

  /** On some errors, such as a full disk, SQLite has ended the transaction itself. */
  rollback(): void {
    if (this.#database.isOpen && this.#database.isTransaction) this.#database.exec('ROLLBACK')
  }

  close(): void {
    if (!this.#database.isOpen) return
    this.#statements.clear()
    this.#database.close()
  }

  /** Runs `work`, and throws its errors as `asRefusal` gives them. */
  #known<T>(work: () => T): T {
    this.#file.require()
    try {
      return work()
    } catch (error) {
      throw this.#file.refusal(error)
    }
  }

  #prepare(sql: string): StatementSync {
    return this.#statements.get(sql) ?? this.#added(sql)
  }

  #added(sql: string): StatementSync {
    if (!this.#database.isOpen) {
      throw new AppError('unavailable', `The database ${this.path} was closed; nothing was done.`)
    }
    const statement = this.#database.prepare(withPlaceholders(sql))
    this.#statements.set(sql, statement)
    return statement
  }
}

/**
 * The SQL with SQLite's placeholders. Placeholders in order, each used once, get no numbers: before it binds a value,
 * `node:sqlite` asks for the placeholder's name, which SQLite searches among all named ones. With 64 rows of eight
 * values in a statement a row takes 2.0 µs instead of 6.3.
 */
function withPlaceholders(sql: string): string {
  const numbers = [...sql.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number))
  const isInOrder = numbers.every((number, i) => number === i + 1)
  return sql.replace(/\$(\d+)/g, isInOrder ? '?' : '?$1')
}

/** The function behind `Db.json.contains`, which SQLite lacks. NULL contains nothing. */
function jsonContains(document: unknown, wanted: unknown): number {
  if (typeof document !== 'string') return 0
  return containsJson(parseJson(document), parseJson(String(wanted))) ? 1 : 0
}

/** The same for `Db.json.fieldsEqual`. */
function jsonFieldsEqual(object: unknown, wanted: unknown): number {
  if (typeof object !== 'string') return 0
  const document = parseJson(object)
  const fields = Object.entries(parseJson(String(wanted)) as JsonObject)
  return isObject(document) &&
    fields.every(([key, value]) => Object.hasOwn(document, key) && equalsJson(document[key], value))
    ? 1
    : 0
}
