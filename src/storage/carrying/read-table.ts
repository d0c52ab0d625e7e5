/** Reads a table in the order of its key, in batches so small that memory stays flat. */
import type { SqlValue } from '../db/db.ts'
import { fromDatabase, type Row, RowDigest, type TableSum, toLine } from './rows.ts'
import { type Place, qualified, type Table } from './tables.ts'

/** The most rows, and about how many bytes, that are read at a time. */
const MAX_ROWS = 1000
const MAX_BYTES = 4 * 1024 ** 2

/** All rows of the table. */
export async function* readRows(place: Place, table: Table): AsyncGenerator<Row[]> {
  const reading = new TableReader(place, table)
  const isEven = (await reading.largestRow()) * MAX_ROWS <= MAX_BYTES
  for (let last: Key | undefined; ; ) {
    const limit = isEven ? MAX_ROWS : await reading.fitting(last)
    const found = limit === 0 ? [] : await reading.rows(last, limit)
    const end = found.at(-1)
    if (!end) return
    last = table.key.map((name) => end[name] ?? null)
    yield found.map((row) => reading.decode(row))
  }
}

/** How many rows the table has. */
export async function countRows(place: Place, { name }: Table): Promise<number> {
  const sql = `SELECT count(*) AS count FROM ${qualified(place, name)}`
  const row = await place.reader.get<{ count: number }>(sql)
  return Number(row?.count ?? 0)
}

/** Reads all of the table. `onRows` gets the number of rows read. */
export function sumTable(
  place: Place,
  table: Table,
  onRows?: (count: number) => void,
): Promise<TableSum> {
  return sumRows(readRows(place, table), table, onRows)
}

export async function sumRows(
  rows: AsyncIterable<readonly Row[]>,
  table: Table,
  onRows: (count: number) => void = () => {},
): Promise<TableSum> {
  const digest = new RowDigest()
  for await (const batch of rows) {
    for (const row of batch) digest.add(toLine(row))
    onRows(batch.length)
  }
  return digest.sum(table)
}

type Found = Record<string, SqlValue>
/** The values of the key's columns. Reading continues after them. */
type Key = readonly SqlValue[]

class TableReader {
  readonly #place: Place
  readonly #table: Table
  readonly #from: string
  readonly #size: string
  readonly #key: string

  constructor(place: Place, table: Table) {
    const { name, columns, key } = table
    this.#place = place
    this.#table = table
    this.#from = qualified(place, name)
    // Both databases know the size without reading the value. A number counts as little.
    const sizes = columns.map((column) =>
      column.kind === 'integer' || column.kind === 'real'
        ? '8'
        : `coalesce(octet_length(${quoted(column.name)}), 0)`,
    )
    this.#size = sizes.join(' + ')
    this.#key = key.map(quoted).join(', ')
  }

  async largestRow(): Promise<number> {
    const sql = `SELECT coalesce(max(${this.#size}), 0) AS bytes FROM ${this.#from}`
    const row = await this.#place.reader.get<{ bytes: number }>(sql)
    return Number(row?.bytes ?? 0)
  }

  /** How many of the next rows may be read at a time: one at least, where there is one. */
  async fitting(after: Key | undefined): Promise<number> {
    const sizes = await this.#next<{ bytes: number }>(`${this.#size} AS bytes`, after, MAX_ROWS)
    let sum = 0
    const over = sizes.findIndex(({ bytes }, index) => {
      sum += Number(bytes)
      return index > 0 && sum > MAX_BYTES
    })
    return over === -1 ? sizes.length : over
  }

  rows(after: Key | undefined, limit: number): Promise<Found[]> {
    const columns = this.#table.columns.map(({ name }) => quoted(name)).join(', ')
    return this.#next<Found>(columns, after, limit)
  }

  decode(row: Found): Row {
    const { dialect } = this.#place.reader
    return this.#table.columns.map((column) =>
      fromDatabase(dialect, column, row[column.name] ?? null),
    )
  }

  #next<T>(what: string, after: Key | undefined, limit: number): Promise<T[]> {
    const places = this.#table.key.map((_, index) => `$${index + 2}`).join(', ')
    const where = after ? `WHERE (${this.#key}) > (${places})` : ''
    const sql = `SELECT ${what} FROM ${this.#from} ${where} ORDER BY ${this.#key} LIMIT $1`
    return this.#place.reader.all<T>(sql, [limit, ...(after ?? [])])
  }
}

/** Some columns have names that are words of SQL. */
export function quoted(name: string): string {
  return `"${name}"`
}
