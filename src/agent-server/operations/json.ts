/** JSON of any shape, as requests carry it. */
import { z } from '@hono/zod-openapi'
import { MAX_DIGITS, plainNumber } from '../../core/exact-json.ts'
import { isExactNumber, isObject, type JsonObject, type JsonValue } from '../../core/json.ts'

/** Deeper nesting is refused: serialising it would run out of stack. */
const MAX_DEPTH = 200
const TOO_MUCH = `at most ${MAX_DEPTH} levels deep, with numbers of at most ${MAX_DIGITS} digits.`

/** Any JSON value, `null` included. */
export const JsonValueSchema = z
  .custom<JsonValue>(
    (value) => value !== undefined && isShallow(value),
    `Expected JSON, ${TOO_MUCH}`,
  )
  .openapi({ type: ['object', 'array', 'string', 'number', 'boolean', 'null'] })

/** A JSON object. */
export const JsonObjectSchema = z
  .custom<JsonObject>(
    (value) => isObject(value) && isShallow(value),
    `Expected an object, ${TOO_MUCH}`,
  )
  .openapi({ type: 'object', additionalProperties: true })

/** A JSON object, or `null`. */
export const NullableJsonObjectSchema = JsonObjectSchema.nullable().openapi({
  type: ['object', 'null'],
  additionalProperties: true,
})

/** An optional field. Clients also send `null`, which counts as absent. */
export function optional<T extends z.ZodType>(schema: T) {
  const inner = hidesNull(schema) ? z.lazy(() => schema) : schema
  const isNumber = schema instanceof z.ZodNumber
  const given = (value: unknown) => (isNumber ? plainNumber(value) : value) ?? undefined
  return z.preprocess(given, inner.optional())
}

/** A time, converted to UTC: the stored form, which sorts by time. */
export const InstantSchema = optional(
  z.iso.datetime({ offset: true }).transform((at) => new Date(at).toISOString()),
)

/** A number in a body. Clients may write integers as `2.0`. */
export function numberIn<T extends z.ZodType>(schema: T) {
  return z.preprocess(plainNumber, schema)
}

/**
 * Whether the schema has its own name or type in the document. For these, the generator adds `null` only
 * with `z.lazy` around the schema.
 */
function hidesNull(schema: z.ZodType): boolean {
  return [z.ZodCustom, z.ZodObject, z.ZodPipe].some((type) => schema instanceof type)
}

/** The result of an operation with `select`: all fields, or the selected ones, called `name` in the document. */
export function selectable<T extends z.ZodObject>(schema: T, name: string) {
  return z.union([schema, schema.partial().openapi(name)])
}

/** Copies nothing: a request may have millions of values. `levels`: how many nested levels are allowed. */
function isShallow(value: unknown, levels = MAX_DEPTH - 1): boolean {
  if (typeof value !== 'object' || value === null) return true
  if (isExactNumber(value)) return value.rawJSON.length <= MAX_DIGITS
  if (Array.isArray(value)) return value.every((item) => isWithin(item, levels))
  for (const key in value) {
    if (!isWithin((value as JsonObject)[key], levels)) return false
  }
  return true
}

function isWithin(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  return (levels > 0 || isExactNumber(value)) && isShallow(value, levels - 1)
}
