/**
 * A row as one line of JSON: the same text for the same content, whichever database it comes from. Digests are made of
 * these lines, and backups hold them. Bytes are base64.
 */
import { AppError } from '../../core/errors.ts'
import type { Column, Row, Table, Value } from '../../core/picture.ts'

export function toLine(row: Row): string {
  return JSON.stringify(row.map((value) => (value instanceof Uint8Array ? base64(value) : value)))
}

function base64({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('base64')
}

/** The row of a line that `toLine` wrote. Throws `bad_request` when it does not fit the table. */
export function fromLine(line: string, { name, columns }: Pick<Table, 'name' | 'columns'>): Row {
  const values = parsed(line)
  if (!Array.isArray(values) || values.length !== columns.length) throw malformed(name)
  return columns.map((column, index) => readValue(values[index], column, name))
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
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
