/** Turns an error of a project's auth into a refusal. */
import { AppError, ProjectRefusal } from '../../../core/errors.ts'

/**
 * `HTTPException` of the SDK and of Hono are recognized by their shape, because the project has its own copies of both.
 * Any other error is a fault of the project's code and refuses the request.
 */
export function asRefusal(cause: unknown, where: string): Error {
  if (cause instanceof AppError || cause instanceof ProjectRefusal) return cause
  if (isHttpException(cause)) {
    const { status, message } = cause
    const headers = readHeaders(cause)
    if (headers) return new ProjectRefusal(status, String(message || 'Refused'), headers)
  }
  const error = new AppError('internal', `${where} failed; the log says more.`, { cause })
  return error
}

interface HttpException {
  status: number
  message: unknown
  headers?: unknown
  getResponse?: () => Response
}

function isHttpException(cause: unknown): cause is HttpException {
  if (typeof cause !== 'object' || cause === null) return false
  const { status, headers, getResponse } = cause as Partial<HttpException>
  const isOne = headers !== undefined || typeof getResponse === 'function'
  return isOne && Number.isInteger(status) && Number(status) >= 300 && Number(status) <= 599
}

/** `undefined`: the headers cannot be read. */
function readHeaders({ headers, getResponse }: HttpException): Headers | undefined {
  try {
    return new Headers((headers ?? {}) as Record<string, string>)
  } catch {
    return getResponse ? new Headers() : undefined
  }
}
