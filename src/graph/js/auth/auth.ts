/**
 * The project's own `auth`: an `Auth` of the SDK that it uses. It says who sent a request, and decides
 * about each operation, by the rules of LangGraph Server.
 */
import type { AuthUser, MetadataFilter } from '../../../core/agent/authorization.ts'
import type { AuthDecision, AuthQuestion, ProjectAuth } from '../../../core/agent/host/auth.ts'
import { AppError, ProjectRefusal } from '../../../core/errors.ts'
import { withPlainNumbers } from '../../../core/exact-json.ts'
import type { JsonObject, JsonValue } from '../../../core/json.ts'
import type { AuthConfig } from '../../../project/auth.ts'
import type { JsModule } from '../../../project/module-spec.ts'
import { importExport } from '../modules/loader.ts'

/** Imports it. Throws `bad_request`, with a message that names the file and what to do. */
export async function loadAuth(config: AuthConfig<JsModule>): Promise<ProjectAuth> {
  const { exported } = await importExport(config, 'auth')
  const handlers = readHandlers(exported, config)
  return {
    authenticate: (request) => authenticate(handlers, request),
    authorize: (question) => authorize(handlers, question),
    isStudioAuthDisabled: config.isStudioAuthDisabled,
  }
}

/** The handlers registered with the SDK's `Auth`; the same field in all its versions. */
interface Handlers {
  authenticate?: (request: Request) => unknown
  callbacks?: Record<string, (context: object) => unknown>
}

function readHandlers(exported: unknown, { path, exportName }: JsModule): Handlers {
  const handlers = (exported as { '~handlerCache'?: Handlers } | null)?.['~handlerCache']
  const what = `auth: "${exportName}" of ${path}`
  if (typeof handlers !== 'object') {
    throw new AppError(
      'bad_request',
      `${what} is no Auth; export a "new Auth()" of @langchain/langgraph-sdk/auth.`,
    )
  }
  if (typeof handlers.authenticate === 'function') return handlers
  throw new AppError(
    'bad_request',
    `${what} recognises nobody; call its authenticate() with a function.`,
  )
}

async function authenticate(handlers: Handlers, request: Request): Promise<AuthUser> {
  try {
    return readUser(await handlers.authenticate?.(request))
  } catch (cause) {
    throw asRefusal(cause, "The project's authenticate")
  }
}

async function authorize(
  { callbacks = {} }: Handlers,
  { user, permissions, event: { resource, action }, value: asked }: AuthQuestion,
): Promise<AuthDecision> {
  const event = `${resource}:${action}`
  const fits = [event, resource, `*:${action}`, '*']
  const name = fits.find((one) => Object.hasOwn(callbacks, one))
  if (name === undefined) return { value: asked }
  const value = withPlainNumbers(asked)
  try {
    const context = { event, resource, action, value, user, permissions }
    const answer = await callbacks[name]?.(context)
    keepJson(value)
    const filter = readFilter(answer, event)
    return { value, ...(filter && { filter }) }
  } catch (cause) {
    throw asRefusal(cause, `The project's auth for ${event}`)
  }
}

/** The values that the handler wrote are stored, so each becomes plain JSON. */
function keepJson(value: JsonObject): void {
  for (const [key, field] of Object.entries(value)) {
    if (typeof field !== 'object' || field === null) continue
    value[key] = JSON.parse(JSON.stringify(field))
  }
}

/**
 * Reads an identity text, or an object with an identity and other fields. Nothing, and a user that is marked as not
 * authenticated, throw `unauthenticated`; anything else throws an `Error`.
 */
function readUser(answer: unknown): AuthUser {
  if (typeof answer === 'string') return userWith({ identity: answer })
  if (answer === undefined || answer === null || answer === false) throw unauthenticated()
  const fields = JSON.parse(JSON.stringify(answer)) as JsonObject
  if (typeof fields?.identity !== 'string') {
    throw new Error('authenticate must answer a text, or an object with the text "identity".')
  }
  return userWith({ ...fields, identity: fields.identity })
}

function userWith(fields: JsonObject & { identity: string }): AuthUser {
  const { identity, display_name, permissions, is_authenticated = true } = fields
  if (identity === '' || is_authenticated === false) throw unauthenticated()
  const texts = Array.isArray(permissions) ? permissions : []
  return {
    ...fields,
    identity,
    display_name: typeof display_name === 'string' ? display_name : identity,
    is_authenticated: true,
    permissions: texts.filter((one) => typeof one === 'string'),
  }
}

function unauthenticated(): AppError {
  return new AppError('unauthenticated', "The project's auth does not know who sent this request.")
}

/**
 * `HTTPException` of the SDK and of Hono are recognized by their shape, because the project has its own copies of both.
 * Any other error is a fault of the project's code and refuses the request.
 */
function asRefusal(cause: unknown, where: string): Error {
  if (cause instanceof AppError || cause instanceof ProjectRefusal) return cause
  if (isHttpException(cause)) {
    const { status, message } = cause
    const headers = readHeaders(cause)
    if (headers) return new ProjectRefusal(status, String(message || 'Refused'), headers)
  }
  return new AppError('internal', `${where} failed; the log says more.`, { cause })
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

// Turns the result of a project's auth handler into the server's own filter.

/**
 * `undefined`, `null` and `true` allow everything; `false` throws `forbidden`. A plain value in a filter means `$eq`.
 * Anything that is not a filter throws `internal`: a condition that is not understood, or that lost its value
 * (`undefined`), must not let anything through.
 */
function readFilter(answer: unknown, event: string): MetadataFilter | undefined {
  if (answer === undefined || answer === null || answer === true) return undefined
  if (answer === false) throw new AppError('forbidden', `You may not do this (${event}).`)
  return readObject(answer, event)
}

function readObject(answer: unknown, where: string): MetadataFilter {
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer)) {
    throw notUnderstood(where, answer)
  }
  const entries = Object.entries(answer).map(([key, condition]) => {
    const at = `${where}, "${key}"`
    return [key, isJoin(key) ? readJoined(condition, at) : readCondition(condition, at)] as const
  })
  return Object.fromEntries(entries)
}

function isJoin(key: string): boolean {
  return key === '$or' || key === '$and'
}

/** An empty filter in the list would let everything through, which is never intended. */
function readJoined(filters: unknown, where: string): MetadataFilter[] {
  if (!Array.isArray(filters) || filters.length === 0) throw notUnderstood(where, filters)
  return filters.map((one) => {
    const filter = readObject(one, where)
    if (Object.keys(filter).length === 0) throw notUnderstood(where, filters)
    return filter
  })
}

function readCondition(condition: unknown, where: string): MetadataFilter[string] {
  if (typeof condition === 'string') return condition
  if (isPlain(condition)) return { $eq: condition }
  const [[operator, operand] = [], ...more] = Object.entries(condition ?? {})
  if (more.length > 0 || !isJson(operand)) throw notUnderstood(where, condition)
  if (operator === '$eq') return { $eq: operand }
  if (operator === '$contains') return { $contains: operand }
  throw notUnderstood(where, condition)
}

function isPlain(value: unknown): value is number | boolean | null {
  return value === null || typeof value === 'boolean' || Number.isFinite(value)
}

function isJson(value: unknown): value is JsonValue {
  if (isPlain(value) || typeof value === 'string') return true
  if (Array.isArray(value)) return value.every(isJson)
  const isObject = typeof value === 'object' && Object.getPrototypeOf(value) === Object.prototype
  return isObject && Object.values(value as object).every(isJson)
}

function notUnderstood(where: string, given: unknown): AppError {
  const cause = new Error(
    `The auth handler of ${where} answered ${JSON.stringify(given)}. It may answer true, false or ` +
      'nothing, or an object whose values are texts, numbers, {"$eq": …} or {"$contains": …}, and ' +
      'under "$or" and "$and" lists of such objects.',
  )
  return new AppError('internal', "The project's auth failed; the log says more.", { cause })
}
