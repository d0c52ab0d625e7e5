/** Errors as both APIs return them: always JSON, `{"detail": …}`. */
import type { Context, NotFoundHandler } from 'hono'
import { HTTPException } from 'hono/http-exception'
import { METHOD_NAME_ALL } from 'hono/router'
import { TrieRouter } from 'hono/router/trie-router'
import type { RouterRoute } from 'hono/types'
import {
  AppError,
  type ErrorCode,
  type FieldIssue,
  HTTP_STATUS,
  ProjectRefusal,
} from '../core/errors.ts'
import type { Log } from '../core/log.ts'

/** The body of every refusal: a sentence, or for 422 the fields that did not validate. */
interface ErrorBody {
  detail: string | FieldIssue[]
}

/** Handles errors of routes. Refusals are returned unchanged; all else is logged and becomes a 500. */
export function onError(log: Log, shownPath = (path: string) => path) {
  return (error: Error, c: Context): Response => {
    if (error instanceof ProjectRefusal) return refuseAsProject(error)
    const refusal = asAppError(error)
    if (refusal.code === 'internal') {
      log.error({ err: error, method: c.req.method, path: shownPath(c.req.path) }, 'request failed')
    }
    const { retryAfterSeconds } = refusal
    if (retryAfterSeconds !== undefined) c.header('retry-after', String(retryAfterSeconds))
    const body: ErrorBody = { detail: refusal.issues ?? refusal.message }
    return c.json(body, HTTP_STATUS[refusal.code])
  }
}

export function notFound(c: Context): Response {
  return c.json(
    { detail: `No route ${c.req.method} ${new URL(c.req.url).pathname}.` } satisfies ErrorBody,
    404,
  )
}

/** Returns a project's refusal. It may set all headers except those about the body. */
function refuseAsProject({ status, message, headers: own }: ProjectRefusal): Response {
  const headers = new Headers(own)
  headers.delete('content-length')
  headers.set('content-type', 'application/json')
  return new Response(JSON.stringify({ detail: message } satisfies ErrorBody), { status, headers })
}

function asAppError(error: Error): AppError {
  if (error instanceof AppError) return error
  if (error instanceof HTTPException) return fromHttpException(error)
  return new AppError('internal', 'Internal server error; the log says more.', { cause: error })
}

function fromHttpException(error: HTTPException): AppError {
  if (error.status === 400 && /JSON/i.test(error.message)) {
    const issue = { loc: ['body'], msg: 'The body is not valid JSON.', type: 'json_invalid' }
    return new AppError('invalid', issue.msg, { cause: error, issues: [issue] })
  }
  const codes = Object.keys(HTTP_STATUS) as ErrorCode[]
  const code = codes.find((one) => HTTP_STATUS[one] === error.status)
  return new AppError(code ?? 'internal', error.message, { cause: error })
}

type Route = Pick<RouterRoute, 'method' | 'path'>

/**
 * The handler for `app.notFound`. Responds 405 with `Allow` when one of `routes` has the path, otherwise 404.
 * Middleware does not count as a route.
 */
export function refuseUnmatched(routes: readonly Route[]): NotFoundHandler {
  const methods = new TrieRouter<string>()
  for (const { method, path } of routes) {
    if (method !== METHOD_NAME_ALL) methods.add(METHOD_NAME_ALL, path, method)
  }
  return (c) => {
    const allow = allowed(methods.match(METHOD_NAME_ALL, c.req.path)[0].map(([method]) => method))
    if (allow.length === 0) return notFound(c)
    const { pathname } = new URL(c.req.url)
    const detail = `${c.req.method} is not possible on ${pathname}; it takes ${allow.join(', ')}.`
    return c.json({ detail } satisfies ErrorBody, 405, { allow: allow.join(', ') })
  }
}

/** A route that answers GET answers HEAD too. */
function allowed(methods: string[]): string[] {
  const all = methods.includes('GET') ? [...methods, 'HEAD'] : methods
  return [...new Set(all)].toSorted()
}
