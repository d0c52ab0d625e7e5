/** JSON of any shape, as requests carry it. */
import { z } from '@hono/zod-openapi'
import { isObject, type JsonObject, type JsonValue } from '../../core/json.ts'

/** Deeper nesting is refused: serialising it would run out of stack. */
const MAX_DEPTH = 200

/** Any JSON value, `null` included. */
export const JsonValueSchema = z
  .custom<JsonValue>(
    (value) => value !== undefined && isShallow(value),
    `Nested deeper than ${MAX_DEPTH} levels.`,
  )
  .openapi({ type: ['object', 'array', 'string', 'number', 'boolean', 'null'] })

/** A JSON object. */
export const JsonObjectSchema = z
  .custom<JsonObject>(
    (value) => isObject(value) && isShallow(value),
    `Expected an object, nested at most ${MAX_DEPTH} levels.`,
  )
  .openapi({ type: 'object', additionalProperties: true })

/** A JSON object, or `null`. */
export const NullableJsonObjectSchema = JsonObjectSchema.nullable().openapi({
  type: ['object', 'null'],
  additionalProperties: true,
})

/** An optional field that clients also send as `null`: both mean that it was not given. */
export function optional<T extends z.ZodType>(schema: T) {
  const inner = hidesNull(schema) ? z.lazy(() => schema) : schema
  return z.preprocess((value) => (value === null ? undefined : value), inner.optional())
}

/**
 * These schemas have a name or a type of their own in the document. Its generator adds that `null` is
 * possible only where `z.lazy` is around such a schema.
 */
function hidesNull(schema: z.ZodType): boolean {
  return [z.ZodCustom, z.ZodObject, z.ZodPipe].some((type) => schema instanceof type)
}

/** What takes a `select` answers: the whole, or the selected fields, called `name` in the document. */
export function selectable<T extends z.ZodObject>(schema: T, name: string) {
  return z.union([schema, schema.partial().openapi(name)])
}

/** Nothing is copied: a request may hold millions of values. `levels`: how many may lie within it. */
function isShallow(value: unknown, levels = MAX_DEPTH - 1): boolean {
  if (typeof value !== 'object' || value === null) return true
  if (Array.isArray(value)) return value.every((item) => isWithin(item, levels))
  for (const key in value) {
    if (!isWithin((value as JsonObject)[key], levels)) return false
  }
  return true
}

function isWithin(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  return levels > 0 && isShallow(value, levels - 1)
}
