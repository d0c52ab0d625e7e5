/** Any JSON value. An `ExactNumber` replaces a `number` that JavaScript would change (`exact-json.ts`). */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | JsonValue[]
  | { [key: string]: JsonValue }

/** A JSON object: metadata, config, context, a graph's values on the wire. */
export type JsonObject = { [key: string]: JsonValue }

/** Made by `JSON.rawJSON`: `JSON.stringify` writes the text as it is. */
export interface ExactNumber {
  readonly rawJSON: string
}

export function isExactNumber(value: unknown): value is ExactNumber {
  return JSON.isRawJSON(value)
}

/** Whether the value is an object with named fields: no array, no `ExactNumber`, not `null`. */
export function isObject(value: unknown): value is JsonObject {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !isExactNumber(value)
  )
}

/** The value that a text from another process holds; `undefined`: it is no JSON. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
