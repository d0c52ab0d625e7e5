/** Converts values between a database's form and the form that all databases share. */
import { AppError } from '../../core/errors.ts'
import type { Column, Value } from '../../core/picture.ts'
import type { Dialect, SqlValue } from '../db/db.ts'

/** Throws `internal` for an integer that JavaScript cannot hold exactly. */
export function fromDatabase(dialect: Dialect, { kind, name }: Column, value: SqlValue): Value {
  if (value === null) return null
  if (kind === 'integer' && !Number.isSafeInteger(value)) throw tooLarge(name, value)
  // Without the sign of zero, which JSON does not have.
  if (kind === 'real') return Number(value) + 0
  if (kind === 'vector')
    return dialect === 'postgres' ? floats(value as Uint8Array) : (value as Uint8Array)
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

function tooLarge(column: string, value: unknown): AppError {
  return new AppError(
    'internal',
    `The column ${column} holds ${value}, which is too large to carry.`,
  )
}
