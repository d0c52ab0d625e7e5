/** What PostgreSQL's errors mean to us. They are told apart by code, never by text. */
import { DatabaseError } from 'pg'
import { AppError, DatabaseAway } from '../../../core/errors.ts'

const DEADLOCK = '40P01'
const SERIALIZATION_FAILURE = '40001'
const DIVISION_BY_ZERO = '22012'
const LOCK_NOT_AVAILABLE = '55P03'
const QUERY_CANCELED = '57014'
const IDLE_IN_TRANSACTION = '25P03'
const TOO_MANY_CONNECTIONS = '53300'
/** A standby, or a server that was told to; without the right to it. */
const READ_ONLY = '25006'
const NO_RIGHT = '42501'
/** Class 53: no room, on the disk or in memory. Class 58: its disk does not work. */
const NO_ROOM = '53'
const SYSTEM_ERROR = '58'
/** Class 54: a text that is too long for an index, JSON that is nested too deeply. */
const PROGRAM_LIMITS = '54'

/** The server is going, gone or not there yet; also the whole of class 08, connection exceptions. */
const LOST = new Set(['57P01', '57P02', '57P03', '57P05', IDLE_IN_TRANSACTION])

/** The connection is of no more use. What was under way on it may or may not have been done. */
export function isLost(error: unknown): boolean {
  if (error instanceof AppError) return false
  if (!(error instanceof DatabaseError)) return true
  const code = error.code ?? ''
  return LOST.has(code) || code.startsWith('08')
}

/** Another transaction was in the way; nothing was done, and once more it may go well. */
export function isCollision(error: unknown): boolean {
  return error instanceof DatabaseError && [DEADLOCK, SERIALIZATION_FAILURE].includes(codeOf(error))
}

/** The condition of a batch was not met. */
export function isStopped(error: unknown): boolean {
  return error instanceof DatabaseError && codeOf(error) === DIVISION_BY_ZERO
}

/** Whether it may help to connect again in a moment. */
export function isTransient(error: unknown): boolean {
  return isLost(error) || (error instanceof DatabaseError && codeOf(error) === TOO_MANY_CONNECTIONS)
}

/** As callers are to see it: what passes by itself is `unavailable`, everything else as it came. */
export function asRefusal(error: unknown): unknown {
  if (isLost(error)) return new DatabaseAway('The database cannot be reached; try again.', error)
  if (isCollision(error)) return new DatabaseAway('The database is too busy; try again.', error)
  const code = error instanceof DatabaseError ? codeOf(error) : ''
  if (code === QUERY_CANCELED || code === LOCK_NOT_AVAILABLE) {
    return new DatabaseAway('The database took too long; try again.', error)
  }
  if (code === READ_ONLY || code.startsWith(NO_ROOM) || code.startsWith(SYSTEM_ERROR)) {
    return new DatabaseAway(`The database takes no writes now: ${messageOf(error)}.`, error)
  }
  if (code === NO_RIGHT) {
    const message = `The database refuses it: ${messageOf(error)}.`
    return new AppError('unavailable', message, { cause: error })
  }
  if (code.startsWith(PROGRAM_LIMITS)) {
    const message = 'A value is too long, or nested too deeply, for the database to look for it.'
    return new AppError('bad_request', message, { cause: error })
  }
  return error
}

/** As `asRefusal`, of a write whose connection was lost before it was known how that went. */
export function unanswered(cause: unknown): AppError {
  const message = 'The connection to the database was lost: this may have been done, or not.'
  return new DatabaseAway(`${message} Look before you try again.`, cause)
}

/** Why no connection could be opened. The driver's sentences name user and host, no password. */
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
