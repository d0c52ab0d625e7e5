/** Any JSON value. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | JsonValue[]
  | { [key: string]: JsonValue }

/** A JSON object: metadata, config, context, a graph's values on the wire. */
export type JsonObject = { [key: string]: JsonValue }

/** Whether the value is an object with named fields: no array, not `null`. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
