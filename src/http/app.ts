/** The common start of both APIs: validation, error mapping, the OpenAPI document. */
import { OpenAPIHono, z } from '@hono/zod-openapi'
import type { Context, Env, HonoRequest, MiddlewareHandler } from 'hono'
import type { ZodError } from 'zod'
import { AppError, type FieldIssue, invalidField } from '../core/errors.ts'
import type { Log } from '../core/log.ts'
import { notFound, onError } from './errors.ts'

const JSON_METHODS = ['POST', 'PATCH', 'DELETE']

/** Reads the path of a request that came with this `env`. */
export type ReadPath = (request: Request, options?: { env?: unknown }) => string

interface AppOptions {
  jsonMethods?: string[]
  /** Reads the path of a request when it differs from the URL's. */
  getPath?: ReadPath
  /** The path for the log, if a path itself can be a secret. */
  shownPath?: (path: string) => string
}

/**
 * Makes an app whose routes validate by schema and whose errors are all JSON. Bodies sent with
 * `jsonMethods` are JSON; uploads use another method.
 */
export function createApp<E extends Env>(
  log: Log,
  { jsonMethods = JSON_METHODS, getPath, shownPath }: AppOptions = {},
): OpenAPIHono<E> {
  const app = new OpenAPIHono<E>({ defaultHook: refuseInvalid, ...(getPath && { getPath }) })
  if (jsonMethods.length > 0) app.use(treatBodyAsJson(jsonMethods), passOverEmptyQueries)
  app.onError(onError(log, shownPath))
  app.notFound(notFound)
  return app
}

/** A sub-app for the routes of one resource. The app that mounts it handles its errors. */
export function createRoutes<E extends Env>(): OpenAPIHono<E> {
  return new OpenAPIHono<E>({ defaultHook: refuseInvalid })
}

/**
 * Treats each body sent with one of these methods as JSON, whatever its content type: `curl -d` sends that of a form,
 * browsers `text/plain`, some clients none.
 */
export function treatBodyAsJson(methods: string[]): MiddlewareHandler {
  return async (c, next) => {
    if (methods.includes(c.req.method)) {
      const headers = c.req.raw.headers
      if (hasBody(c)) headers.set('content-type', 'application/json')
      else headers.delete('content-type')
    }
    await next()
  }
}

/**
 * Throws `invalid` for a body that is not declared as JSON. Pages can send any other body to any server without a
 * preflight.
 */
export const requireJson: MiddlewareHandler = async (c, next) => {
  const type = c.req.header('content-type') ?? ''
  if (!/^application\/([\w.-]+\+)?json\b/i.test(type) && hasBody(c)) {
    const how = 'Without keys this server takes JSON only: send it as application/json.'
    throw invalidField(['header', 'content-type'], how)
  }
  await next()
}

function hasBody(c: Context): boolean {
  const length = c.req.header('content-length')
  if (length !== undefined) return Number(length) > 0
  if (c.req.header('transfer-encoding') !== undefined) return true
  // A request from within the process has neither header.
  return c.env?.incoming === undefined && c.req.raw.body !== null
}

export type HookResult = { success: true } | { success: false; error: ZodError; target: string }

const LOC_OF_TARGET: Record<string, string> = { json: 'body', form: 'body', param: 'path' }

/** Throws `invalid` for input that does not validate: the default hook of every route. */
export function refuseInvalid(result: HookResult): void {
  if (result.success) return
  const place = LOC_OF_TARGET[result.target] ?? result.target
  const issues = result.error.issues.map(
    (issue): FieldIssue => ({
      loc: [place, ...issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part))],
      msg: issue.message,
      type: issueType(issue),
    }),
  )
  throw new AppError('invalid', 'The request does not validate.', { issues })
}

function issueType(issue: ZodError['issues'][number]): string {
  if (issue.code === 'invalid_format' && ['uuid', 'guid'].includes(issue.format)) {
    return 'uuid_parsing'
  }
  if (issue.code === 'invalid_type' && issue.message.endsWith('received undefined'))
    return 'missing'
  return issue.code
}

/** The 422 response in the OpenAPI document. */
export const ValidationErrorSchema = z
  .object({
    detail: z.array(
      z.object({
        loc: z.array(z.union([z.string(), z.int()])),
        msg: z.string(),
        type: z.string(),
      }),
    ),
  })
  .openapi('HTTPValidationError')

/** Every other refusal in the OpenAPI document. */
export const RefusalSchema = z.object({ detail: z.string() }).openapi('Refusal')

// Drops query values that are empty.

/**
 * Treats an empty value as absent: httpx, and so the Python SDK, sends `stream_mode=` for `None`.
 * Register it before the routes, whose validation reads `queries()`.
 */
export const passOverEmptyQueries: MiddlewareHandler = async (c, next) => {
  if (c.req.url.includes('?')) {
    const queries = withoutEmpty(c.req.queries())
    const read = (name?: string) => (name === undefined ? queries : queries[name])
    c.req.queries = read as HonoRequest['queries']
  }
  await next()
}

function withoutEmpty(queries: Record<string, string[]>): Record<string, string[]> {
  const said = Object.entries(queries).flatMap(([name, values]): [string, string[]][] => {
    const given = values.filter((value) => value !== '')
    return given.length > 0 ? [[name, given]] : []
  })
  return Object.fromEntries(said)
}
