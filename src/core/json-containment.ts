/** Containment of JSON, as searches by metadata and values mean it (PostgreSQL's `@>`). */
import type { JsonValue } from './json.ts'

/**
 * Whether `document` holds all of `wanted`: of an object each key with what it holds, of a list each
 * item somewhere, of anything else the same value.
 */
export function containsJson(document: JsonValue | undefined, wanted: JsonValue): boolean {
  if (Array.isArray(wanted)) {
    if (!Array.isArray(document)) return false
    return wanted.every((item) => document.some((candidate) => containsJson(candidate, item)))
  }
  if (typeof wanted !== 'object' || wanted === null) return document === wanted
  if (typeof document !== 'object' || document === null || Array.isArray(document)) return false
  return Object.entries(wanted).every(
    ([key, value]) => Object.hasOwn(document, key) && containsJson(document[key], value),
  )
}
