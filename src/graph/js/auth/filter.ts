/** Turns the result of a project's auth handler into the server's own filter. */
import type { MetadataFilter } from '../../../core/agent/authorization.ts'
import { AppError } from '../../../core/errors.ts'
import type { JsonValue } from '../../../core/json.ts'

/**
 * `undefined`, `null` and `true` allow everything; `false` throws `forbidden`. A plain value in a filter means `$eq`.
 * Anything that is not a filter throws `internal`: a condition that is not understood, or that lost its value
 * (`undefined`), must not let anything through.
 */
export function readFilter(answer: unknown, event: string): MetadataFilter | undefined {
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
