/** Refusals of the protocol's commands. */

import type { ProtocolErrorCode } from '../../core/agent/protocol.ts'
import { AppError, type ErrorCode } from '../../core/errors.ts'

/** `message` goes to the client: it names the problem and the remedy. */
export class ProtocolError extends Error {
  readonly code: ProtocolErrorCode

  constructor(code: ProtocolErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.name = 'ProtocolError'
    this.code = code
  }
}

/** The protocol's code for each of the server's codes. */
const CODE_OF: Readonly<Record<ErrorCode, ProtocolErrorCode>> = {
  bad_request: 'invalid_argument',
  invalid: 'invalid_argument',
  unauthenticated: 'permission_denied',
  forbidden: 'permission_denied',
  not_found: 'no_such_run',
  conflict: 'invalid_argument',
  gone: 'invalid_argument',
  too_large: 'invalid_argument',
  unsupported: 'invalid_argument',
  too_many_requests: 'unknown_error',
  unavailable: 'unknown_error',
  internal: 'unknown_error',
}

/** `undefined`: an internal error that clients may not see. */
export function asProtocolError(error: unknown): ProtocolError | undefined {
  if (error instanceof ProtocolError) return error
  if (!(error instanceof AppError)) return undefined
  return new ProtocolError(CODE_OF[error.code], error.message, { cause: error })
}
