/** Names a table's columns once. Statements, their parameters and the values read are made from that list. */
import { AppError } from '../../core/errors.ts'
import { parseJson } from '../../core/exact-json.ts'
import type { SecretBox } from '../../core/secret-box.ts'
import type { Db, SqlValue } from './db.ts'

/** The columns that are not stored as they are. NULL is `null` in each of them. */
interface Kinds<T> {
  /** The column that names a row. Default `id`. */
  key?: keyof T
  json?: readonly (keyof T)[]
  /** Stored as 0 or 1. */
  booleans?: readonly (keyof T)[]
  /** Whole numbers, which the database may return as `bigint`. */
  numbers?: readonly (keyof T)[]
  /** Encrypted for the place that the function names by the row's key. JSON if the column is in `json` too. */
  sealed?: { readonly [column in keyof T]?: (id: string) => string }
  /** Written with the row, and by no update. So is the key. */
  fixed?: readonly (keyof T)[]
  /** Written, so that statements can search them, and never read. */
  unread?: readonly (keyof T)[]
}

interface Table<T> {
  /** For SELECT and RETURNING: `id, name, …`. */
  columns: string
  /** The rows in a database, or in a transaction. Sealed columns need `box`. */
  on(db: Db, box?: SecretBox): Rows<T>
}

interface Rows<T> {
  /** The first row that `sql` finds. A sealed value is opened when it is used for the first time. */
  get(sql: string, params: SqlValue[]): Promise<T | undefined>
  all(sql: string, params?: SqlValue[]): Promise<T[]>
  /** Adds a row. `suffix` follows the VALUES. `false`: its ON CONFLICT kept the row out. */
  insert(value: T, suffix?: string): Promise<boolean>
  /** Like `insert`, where its result is not needed. */
  add(value: T, suffix?: string): Promise<void>
  /** Adds a row, or gives the one with the same values in these columns, `a, b`, the others that may change. */
  put(value: T, columns: string): Promise<void>
  /** Sets these columns of the row with this key, if there is one; fixed and undefined columns stay. */
  update(key: string, patch: Partial<T>): Promise<void>
  /** The assignments of such an UPDATE, and their parameters, from `$first` on. */
  assignments(key: string, patch: Partial<T>, first: number): { sql: string[]; params: SqlValue[] }
}

/** `columns`: the columns to read, separated by commas. */
export function table<T extends object>(
  name: string,
  columns: string,
  kinds: Kinds<T> = {},
): Table<T> {
  const {
    key = 'id',
    unread = [],
    sealed = {},
    fixed = [],
  } = kinds as Kinds<Record<string, unknown>>
  const json = new Set<string>(kinds.json as string[] | undefined)
  const written = [...columns.split(',').map((column) => column.trim()), ...unread]
  const changeable = written.filter((column) => column !== key && !fixed.includes(column))
  const places = written.map((_, index) => `$${index + 1}`)
  const insertSql = `INSERT INTO ${name} (${written.join(', ')}) VALUES (${places.join(', ')})`

  const orReplace = (known: string) => {
    const others = changeable.filter((column) => !known.split(', ').includes(column))
    const changes = others.map((column) => `${column} = excluded.${column}`)
    return `ON CONFLICT (${known}) DO UPDATE SET ${changes.join(', ')}`
  }

  return {
    columns,
    on: (db, box) => {
      const encode = (column: string, value: unknown, id: unknown): SqlValue => {
        const plain = json.has(column) ? encodeJson(value) : toSql(value)
        const placeOf = sealed[column]
        if (plain === null || !placeOf) return plain
        return required(box).seal(String(plain), placeOf(String(id)))
      }
      const assignments = (id: string, patch: Partial<T>, first: number) => {
        const given = patch as Record<string, unknown>
        const changed = changeable.filter((column) => given[column] !== undefined)
        const sql = changed.map((column, index) => `${column} = $${first + index}`)
        return { sql, params: changed.map((column) => encode(column, given[column], id)) }
      }
      const read = (row: object) => decode(row, kinds, box)
      const paramsOf = (value: T) => {
        const given = value as Record<string, unknown>
        return written.map((column) => encode(column, given[column], given[key]))
      }
      return {
        get: async (sql, params) => {
          const row = await db.get<object>(sql, params)
          return row && read(row)
        },
        all: async (sql, params) => (await db.all<object>(sql, params)).map(read),
        insert: async (value, suffix = '') =>
          (await db.run(`${insertSql} ${suffix}`, paramsOf(value))) === 1,
        add: async (value, suffix = '') => db.runAhead(`${insertSql} ${suffix}`, paramsOf(value)),
        put: async (value, known) =>
          db.runAhead(`${insertSql} ${orReplace(known)}`, paramsOf(value)),
        update: async (id, patch) => {
          const { sql, params } = assignments(id, patch, 2)
          await db.runAhead(`UPDATE ${name} SET ${sql.join(', ')} WHERE ${key} = $1`, [
            id,
            ...params,
          ])
        },
        assignments,
      }
    },
  }
}

/** As a statement takes it: a boolean is 0 or 1. */
function toSql(value: unknown): SqlValue {
  if (value === undefined) return null
  return typeof value === 'boolean' ? Number(value) : (value as SqlValue)
}

function decode<T extends object>(row: object, kinds: Kinds<T>, box: SecretBox | undefined): T {
  const { key = 'id' as keyof T, json = [], booleans = [], numbers = [], sealed = {} } = kinds
  const value = { ...row } as Record<keyof T, unknown>
  const convert = (columns: readonly (keyof T)[], from: (stored: unknown) => unknown) => {
    for (const column of columns) if (value[column] != null) value[column] = from(value[column])
  }
  convert(booleans, (stored) => Number(stored) === 1)
  convert(numbers, Number)
  const open = json.filter((column) => !(column in sealed))
  convert(open, (stored) => parseJson(String(stored)))
  const id = String(value[key])
  for (const [column, placeOf] of Object.entries(sealed) as [keyof T, (id: string) => string][]) {
    const text = value[column]
    if (text == null) continue
    const isJson = json.includes(column)
    unsealWhenUsed(value, column, () => {
      const plain = required(box).open(String(text), placeOf(id))
      return isJson ? parseJson(plain) : plain
    })
  }
  return value as T
}

/** Opening takes most of the time in which a row is read, and most callers do not use what is sealed. */
function unsealWhenUsed(value: object, column: PropertyKey, unseal: () => unknown): void {
  let opened: unknown
  const get = () => {
    opened ??= unseal()
    return opened
  }
  Object.defineProperty(value, column, { get, enumerable: true, configurable: true })
}

function required(box: SecretBox | undefined): SecretBox {
  if (box) return box
  throw new AppError('internal', 'A table with sealed columns was opened without a secret box.')
}

/** `null` and absent values become SQL's NULL, which is read as `null`. */
export function encodeJson(value: unknown): string | null {
  return value === undefined || value === null ? null : JSON.stringify(value)
}

/** The row as an object. These columns are parsed, the others stay as they are. */
export function decodeRow<T extends object>(row: object, jsonColumns: readonly (keyof T)[]): T {
  const result = { ...row } as T
  for (const column of jsonColumns) {
    const text = result[column]
    if (typeof text === 'string') result[column] = parseJson(text)
  }
  return result
}

/** How many rows of a table have each status. */
export async function countByStatus(
  db: Db,
  table: 'deployments' | 'revisions',
): Promise<Record<string, number>> {
  const sql = `SELECT status, count(*) AS count FROM ${table} GROUP BY status`
  const rows = await db.all<{ status: string; count: number }>(sql)
  return Object.fromEntries(rows.map(({ status, count }) => [status, Number(count)]))
}
