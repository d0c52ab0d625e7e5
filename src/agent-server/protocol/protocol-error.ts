/** Why a command of the protocol was refused. */

import type { ProtocolErrorCode } from '../../core/agent/protocol.ts'
import { AppError, type ErrorCode } from '../../core/errors.ts'

/** `message` goes to the client: it says which thing and what to do. */
export class ProtocolError extends Error {
  readonly code: ProtocolErrorCode

  constructor(code: ProtocolErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.name = 'ProtocolError'
    this.code = code
  }
}

/** The one table of the server's codes and the protocol's. */
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

/** `undefined`: nothing that a client may know. */
export function asProtocolError(error: unknown): ProtocolError | undefined {
  if (error instanceof ProtocolError) return error
  if (!(error instanceof AppError)) return undefined
  return new ProtocolError(CODE_OF[error.code], error.message, { cause: error })
}
