/**
 * Rows in the form that all databases share, as values of a database, and as lines of JSON: the same text for the same
 * content, whichever database it comes from. Digests are made of these lines, and backups hold them.
 */
import { createHash, hash } from 'node:crypto'
import { AppError } from '../../core/errors.ts'
import { jsonIn } from '../../core/json.ts'
import type { Dialect, SqlValue } from '../db/db.ts'
import type { Column, Table } from './tables.ts'

/** In the order of the table's columns. An integer is safe, a text well-formed. */
export type Row = readonly Value[]
type Value = string | number | Uint8Array | null

/** Throws `internal` for an integer that JavaScript cannot hold exactly. */
export function fromDatabase(dialect: Dialect, { kind, name }: Column, value: SqlValue): Value {
  if (value === null) return null
  if (kind === 'integer' && !Number.isSafeInteger(value)) {
    const what = `The column ${name} holds ${value}, which is too large to carry.`
    throw new AppError('internal', what)
  }
  // Without the sign of zero, which JSON does not have.
  if (kind === 'real') return Number(value) + 0
  if (kind === 'vector' && dialect === 'postgres') return floats(value as Uint8Array)
  return value as Value
}

export function toDatabase(dialect: Dialect, { kind }: Column, value: Value): SqlValue {
  const isText = kind === 'vector' && dialect === 'postgres' && value !== null
  return isText ? numbers(value as Uint8Array) : value
}

/** PostgreSQL keeps a vector as the text of a list. */
function floats(text: Uint8Array): Uint8Array {
  const list = JSON.parse(Buffer.from(text).toString('utf8')) as number[]
  return new Uint8Array(Float32Array.from(list).buffer)
}

function numbers(bytes: Uint8Array): Uint8Array {
  const own = new Uint8Array(bytes)
  return Buffer.from(JSON.stringify([...new Float32Array(own.buffer)]))
}

/** One line of JSON, without the line's end. Bytes are base64. */
export function toLine(row: Row): string {
  return JSON.stringify(row.map((value) => (value instanceof Uint8Array ? base64(value) : value)))
}

function base64({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('base64')
}

/** The row of a line that `toLine` wrote. Throws `bad_request` when it does not fit the table. */
export function fromLine(line: string, { name, columns }: Pick<Table, 'name' | 'columns'>): Row {
  const values = jsonIn(line)
  if (!Array.isArray(values) || values.length !== columns.length) throw malformed(name)
  return columns.map((column, index) => readValue(values[index], column, name))
}

function readValue(value: unknown, { kind, name }: Column, table: string): Value {
  if (value === null) return null
  if (kind === 'integer' && Number.isSafeInteger(value)) return value as number
  if (kind === 'real' && typeof value === 'number') return value
  if (kind === 'text' && typeof value === 'string') return value
  if ((kind === 'bytes' || kind === 'vector') && typeof value === 'string') {
    return new Uint8Array(Buffer.from(value, 'base64'))
  }
  throw malformed(`${table}.${name}`)
}

function malformed(what: string): AppError {
  return new AppError('bad_request', `The backup holds a row of ${what} that cannot be read.`)
}

/** A checksum for comparing the content of two tables. */
export interface TableSum {
  rows: number
  /** Over the rows in any order, in hexadecimal. */
  digest: string
}

const BITS = 256

/**
 * The sum of the rows' SHA-256. A row that is changed, added or lost by accident changes the sum; it is no protection
 * from rows that an attacker makes.
 */
export class RowDigest {
  #sum = 0n
  #rows = 0

  add(line: string): void {
    this.#rows += 1
    this.#sum += BigInt(`0x${hash('sha256', line)}`)
  }

  /** Includes the columns: rows of other columns are other rows. */
  sum({ columns }: Pick<Table, 'columns'>): TableSum {
    const head = columns.map(({ name, kind }) => `${name} ${kind}`).join('\n')
    const sum = BigInt.asUintN(BITS, this.#sum).toString(16)
    const digest = createHash('sha256').update(`${head}\n${sum}`).digest('hex')
    return { rows: this.#rows, digest }
  }
}
