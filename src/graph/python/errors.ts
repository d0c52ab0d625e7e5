/** Errors as they cross the connection. */
import {
  AppError,
  DatabaseAway,
  type ErrorCode,
  type FieldIssue,
  HTTP_STATUS,
  type Missing,
  ProjectRefusal,
} from '../../core/errors.ts'

export interface WireError {
  name?: string
  message?: string
  code?: string
  issues?: FieldIssue[]
  missing?: Missing
  status?: number
  headers?: [string, string][]
  database_away?: boolean
  stack?: string
  cause?: WireError
}

export function toWireError(thrown: unknown): WireError {
  if (thrown instanceof DatabaseAway) return { ...described(thrown), database_away: true }
  if (thrown instanceof AppError) {
    const { code, issues, missing } = thrown
    return { ...described(thrown), code, ...(issues && { issues }), ...(missing && { missing }) }
  }
  if (thrown instanceof ProjectRefusal) {
    return { ...described(thrown), status: thrown.status, headers: [...thrown.headers] }
  }
  return described(thrown)
}

function described(thrown: unknown): { name: string; message: string } {
  const { name, message } = thrown instanceof Error ? thrown : new Error(String(thrown))
  return { name, message }
}

/** An error with Python's traceback as its stack. */
export function fromWireError(told: WireError): Error {
  const error = errorOf(told)
  if (told.stack !== undefined) error.stack = told.stack
  if (told.cause && error.cause === undefined) error.cause = fromWireError(told.cause)
  return error
}

function errorOf(told: WireError): Error {
  const { name = 'Error', message = '', code, issues, missing, status, headers } = told
  if (told.database_away) return new DatabaseAway(message, undefined)
  if (code !== undefined && code in HTTP_STATUS) {
    const options = { ...(issues && { issues }), ...(missing && { missing }) }
    return new AppError(code as ErrorCode, message, options)
  }
  if (status !== undefined) return new ProjectRefusal(status, message, new Headers(headers ?? []))
  return Object.assign(new Error(message), { name })
}
