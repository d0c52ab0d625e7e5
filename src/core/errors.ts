/**
 * What can go wrong in a way that a caller can act on, with the HTTP status of each: a closed list, and the one table of
 * codes and statuses.
 */
export const HTTP_STATUS = {
  bad_request: 400,
  invalid: 422,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  gone: 410,
  too_large: 413,
  unsupported: 415,
  too_many_requests: 429,
  unavailable: 503,
  internal: 500,
} as const

export type ErrorCode = keyof typeof HTTP_STATUS

/** One field that did not validate, in the form of both APIs' responses (422 `detail[]`). */
export interface FieldIssue {
  /** Where: `body`, `query`, `path` or `header`, then the path to the field. */
  loc: (string | number)[]
  /** What is wrong and what is expected, as a sentence fragment. */
  msg: string
  /** A machine-readable kind, e.g. `missing`, `uuid_parsing`, `invalid_type`. */
  type: string
}

export type Missing = 'assistant' | 'checkpoint'

/**
 * The one error type for refusals. `message` goes to the caller: it says which thing is wrong and what to do. `cause`
 * goes to the log only. `issues` belongs to the code `invalid` alone. `retryAfterSeconds`: when the same request may be
 * sent again, if known. `missing` belongs to `not_found`: the missing thing, if it is not the one that the request was
 * sent to.
 */
export class AppError extends Error {
  readonly code: ErrorCode
  readonly issues: FieldIssue[] | undefined
  readonly retryAfterSeconds: number | undefined
  readonly missing: Missing | undefined

  constructor(
    code: ErrorCode,
    message: string,
    options: {
      cause?: unknown
      issues?: FieldIssue[]
      retryAfterSeconds?: number
      missing?: Missing
    } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'AppError'
    this.code = code
    this.issues = options.issues
    this.retryAfterSeconds = options.retryAfterSeconds
    this.missing = options.missing
  }
}

/**
 * The code `unavailable`: the database cannot be reached, takes no writes or is too slow. Nothing is
 * wrong with the request.
 */
export class DatabaseAway extends AppError {
  constructor(message: string, cause: unknown) {
    super('unavailable', message, { cause })
    this.name = 'DatabaseAway'
  }
}

/** The code `unavailable`: the process of the project's code ended during the request. The request may be the cause. */
export class HostLost extends AppError {
  constructor(message: string, options: { cause?: unknown } = {}) {
    super('unavailable', message, { ...options, retryAfterSeconds: 1 })
    this.name = 'HostLost'
  }
}

/** The code `unavailable`: no process for the project's code is running. The request was not begun. */
export class HostAway extends AppError {
  constructor(message: string) {
    super('unavailable', message, { retryAfterSeconds: 5 })
    this.name = 'HostAway'
  }
}

/**
 * A refusal by the project's own code, with the status and the headers that it chose. `status` may be any
 * HTTP status from 300 on, since a project may also redirect.
 */
export class ProjectRefusal extends Error {
  readonly status: number
  readonly headers: Headers

  constructor(status: number, message: string, headers: Headers) {
    super(message)
    this.name = 'ProjectRefusal'
    this.status = status
    this.headers = headers
  }
}

/** The refusal of one field by a check that no schema can express. */
export function invalidField(
  loc: (string | number)[],
  msg: string,
  type = 'value_error',
): AppError {
  return new AppError('invalid', msg, { issues: [{ loc, msg, type }] })
}

/**
 * The text of a failure, for places that show only its first line: if that just announces the reason, the reason is
 * moved up into it.
 */
export function withReasonFirst(text: string): string {
  const [head = '', ...rest] = text.split('\n')
  if (head.endsWith(':')) {
    // `Transform failed with 1 error:`
    const at = rest.findIndex((line) => line.trim() !== '')
    return at < 0 ? text : [`${head} ${rest[at]?.trim()}`, ...rest.slice(at + 1)].join('\n')
  }
  // A traceback of Python has its error at the end.
  const error = head.endsWith('cannot be loaded.') && rest.find((line) => PYTHON_ERROR.test(line))
  return error ? [`${head.slice(0, -1)}: ${error}`, ...rest].join('\n') : text
}

const PYTHON_ERROR = /^[A-Za-z_][\w.]*(: |$)/
