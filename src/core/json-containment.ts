/** Containment of JSON, as PostgreSQL's `@>` defines it. Searches by metadata and values use it. */
import { equalsJson } from './exact-json.ts'
import { isObject, type JsonValue } from './json.ts'

/**
 * Whether `document` contains all of `wanted`: each key of an object with its contents, each item of a
 * list at any place, any other value as it is.
 */
export function containsJson(document: JsonValue | undefined, wanted: JsonValue): boolean {
  if (Array.isArray(wanted)) {
    if (!Array.isArray(document)) return false
    return wanted.every((item) => document.some((candidate) => containsJson(candidate, item)))
  }
  if (!isObject(wanted)) return equalsJson(document, wanted)
  if (!isObject(document)) return false
  return Object.entries(wanted).every(
    ([key, value]) => Object.hasOwn(document, key) && containsJson(document[key], value),
  )
}
