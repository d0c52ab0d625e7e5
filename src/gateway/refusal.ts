/** The gateway's own refusals, in the form of both APIs: `{"detail": "…"}`. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { AppError, HTTP_STATUS } from '../core/errors.ts'
import type { Log } from '../core/log.ts'
import type { CorsConfig } from '../core/network/cors.ts'
import { answerPreflight, corsHeaders, isPreflight } from './cors.ts'
import { endAnswer } from './request-body.ts'

/** Returns the refusal for the client. Any other error is logged, and becomes `internal`. */
export function asRefusal(error: unknown, log: Log): AppError {
  if (error instanceof AppError) return error
  log.error({ err: error }, 'the gateway failed to handle a request')
  return new AppError('internal', 'Internal server error; the log says more.', { cause: error })
}

/**
 * The refusal of a request that could not be forwarded because the client is at fault: it is malformed, or its body was
 * refused on the way. `undefined`: the error is another one.
 */
export function faultOfClient(error: Error): AppError | undefined {
  if (error instanceof AppError) return error
  const { code } = error as { code?: string }
  if (code !== 'UND_ERR_INVALID_ARG' && code !== 'UND_ERR_NOT_SUPPORTED') return undefined
  return new AppError('bad_request', `The request cannot be passed on: ${error.message}.`)
}

/**
 * Sends the refusal; the response must not have begun. Pages of other origins may read it as far as `cors` allows. A
 * preflight gets a normal response, so that the browser sends the request itself and sees its refusal.
 */
export function refuse(
  req: IncomingMessage,
  res: ServerResponse,
  refusal: AppError,
  cors: CorsConfig,
): void {
  if (isPreflight(req)) return void answerPreflight(req, res, cors)
  const body = Buffer.from(JSON.stringify({ detail: refusal.issues ?? refusal.message }))
  res.writeHead(HTTP_STATUS[refusal.code], {
    ...corsHeaders(cors, req.headers.origin),
    'content-type': 'application/json',
    'content-length': body.length,
    ...(refusal.code === 'unavailable' ? { 'retry-after': '1' } : {}),
    ...(req.headers.expect === undefined ? {} : { connection: 'close' }),
  })
  res.write(body)
  endAnswer(req, res)
}
