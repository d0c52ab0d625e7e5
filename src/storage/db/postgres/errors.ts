/** What the errors of PostgreSQL mean for us. They are distinguished by code, never by text. */
import { DatabaseError } from 'pg'
import { AppError, DatabaseAway } from '../../../core/errors.ts'

const DEADLOCK = '40P01'
const SERIALIZATION_FAILURE = '40001'
const DIVISION_BY_ZERO = '22012'
const CARDINALITY_VIOLATION = '21000'
const LOCK_NOT_AVAILABLE = '55P03'
const QUERY_CANCELED = '57014'
const IDLE_IN_TRANSACTION = '25P03'
const TOO_MANY_CONNECTIONS = '53300'
const DISK_FULL = '53100'
/** 25006: the server is a standby, or read-only. 42501: its user may not do this. */
const READ_ONLY = '25006'
const NO_RIGHT = '42501'
/** Class 53: no room on the disk or in memory. Class 58: the disk fails. */
const NO_ROOM = '53'
const SYSTEM_ERROR = '58'
const HINTS = new Map([
  [DISK_FULL, ' Make room on its disk; what waits goes on by itself then.'],
  [TOO_MANY_CONNECTIONS, ' Raise its max_connections, or start fewer servers on it.'],
  [READ_ONLY, ' It is a standby, or was made read-only: name the primary server.'],
])
/** Class 54: a text that is too long for an index, or JSON that is nested too deeply. */
const PROGRAM_LIMITS = '54'

/**
 * The server is stopping, gone or not there yet. The whole class 08, connection exceptions, belongs here
 * too.
 */
const LOST = new Set(['57P01', '57P02', '57P03', '57P05', IDLE_IN_TRANSACTION])

/** Whether the connection cannot be used any more. Statements that were sent on it may or may not be done. */
export function isLost(error: unknown): boolean {
  if (error instanceof AppError) return false
  if (!(error instanceof DatabaseError)) return true
  const code = error.code ?? ''
  return LOST.has(code) || code.startsWith('08')
}

/** Another transaction was in the way. Nothing was done, and another try may succeed. */
export function isCollision(error: unknown): boolean {
  return error instanceof DatabaseError && [DEADLOCK, SERIALIZATION_FAILURE].includes(codeOf(error))
}

/** Whether the condition of a batch was not met. */
export function isStopped(error: unknown): boolean {
  return error instanceof DatabaseError && codeOf(error) === DIVISION_BY_ZERO
}

/** Whether parts of one statement would have changed the same row. Nothing was done. */
export function isTwice(error: unknown): boolean {
  return error instanceof DatabaseError && codeOf(error) === CARDINALITY_VIOLATION
}

/** Whether another try to connect may succeed in a moment. */
export function isTransient(error: unknown): boolean {
  return isLost(error) || (error instanceof DatabaseError && codeOf(error) === TOO_MANY_CONNECTIONS)
}

/** The error for callers: `unavailable` for what passes by itself, otherwise the error itself. */
export function asRefusal(error: unknown): unknown {
  if (isLost(error)) return new DatabaseAway('The database cannot be reached; try again.', error)
  if (isCollision(error)) return new DatabaseAway('The database is too busy; try again.', error)
  const code = error instanceof DatabaseError ? codeOf(error) : ''
  if (code === QUERY_CANCELED || code === LOCK_NOT_AVAILABLE) {
    return new DatabaseAway('The database took too long; try again.', error)
  }
  if (code === READ_ONLY || code.startsWith(NO_ROOM) || code.startsWith(SYSTEM_ERROR)) {
    const what = `The database takes no writes now: ${messageOf(error)}.`
    return new DatabaseAway(what + (HINTS.get(code) ?? ''), error)
  }
  if (code === NO_RIGHT) {
    const message = `The database refuses it: ${messageOf(error)}.`
    return new AppError('unavailable', message, { cause: error })
  }
  if (code.startsWith(PROGRAM_LIMITS)) {
    const message = 'A value is too long, or nested too deeply, for the database to search for it.'
    return new AppError('bad_request', message, { cause: error })
  }
  return error
}

/** Like `asRefusal`, for a write whose connection was lost before its result was known. */
export function unanswered(cause: unknown): AppError {
  const message = 'The connection to the database was lost: this may have been done, or not.'
  return new DatabaseAway(`${message} Check before you try again.`, cause)
}

/**
 * The error when no connection could be opened. The driver's sentences name user and host, but no
 * password.
 */
export function cannotConnect(cause: unknown): AppError {
  const reason = cause instanceof Error ? cause.message || codeOf(cause) : String(cause)
  return new DatabaseAway(`The database cannot be reached: ${reason}.`, cause)
}

function messageOf(error: unknown): string {
  return (error as Error).message
}

function codeOf(error: Error & { code?: string | undefined }): string {
  return error.code ?? ''
}
