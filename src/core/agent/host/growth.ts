/**
 * Describes how one JSON value became another by longer texts and longer lists, as a message does while a
 * model writes it. A text of n pieces costs n pieces this way; sending it whole each time costs n².
 */
import { isExactNumber, isObject, type JsonObject, type JsonValue } from '../../json.ts'

/** `+`: this follows the text. `=`: this is the new value. `in`: the growth of its items or fields. */
export type Growth = { '+': string } | { '=': JsonValue } | { in: { [key: string]: Growth } }

/**
 * How `before` became `after`. `undefined`: they are equal. `applyGrowth` restores the second value
 * exactly, including the order of its fields.
 */
export function growthOf(before: JsonValue, after: JsonValue): Growth | undefined {
  if (before === after || isSameNumber(before, after)) return undefined
  if (typeof before === 'string' && typeof after === 'string' && after.startsWith(before)) {
    return { '+': after.slice(before.length) }
  }
  if (!areGrown(before, after)) return { '=': after }
  const changes = Object.keys(after as Parts).flatMap((key) => changeOf(before, after, key))
  return changes.length === 0 ? undefined : { in: Object.fromEntries(changes) }
}

/** Applies the growth to the first value and returns the second. The first stays unchanged. */
export function applyGrowth(before: JsonValue, growth: Growth): JsonValue {
  if ('=' in growth) return growth['=']
  if ('+' in growth) return `${before}${growth['+']}`
  const parts = before as Parts
  const entries = new Map(Object.entries(parts))
  for (const [key, change] of Object.entries(growth.in)) {
    entries.set(key, applyGrowth(entries.get(key) ?? null, change))
  }
  return Array.isArray(before) ? [...entries.values()] : Object.fromEntries(entries)
}

type Parts = JsonObject | JsonValue[]

/** Both are lists or both are objects, and items were only changed or added at the end. */
function areGrown(before: JsonValue, after: JsonValue): boolean {
  if (!isParts(before) || !isParts(after)) return false
  if (Array.isArray(before) !== Array.isArray(after)) return false
  const keys = Object.keys(after)
  return Object.keys(before).every((key, i) => keys[i] === key)
}

function changeOf(before: JsonValue, after: JsonValue, key: string): [string, Growth][] {
  const now = part(after, key) as JsonValue
  const was = part(before, key)
  const growth: Growth | undefined = was === undefined ? { '=': now } : growthOf(was, now)
  return growth ? [[key, growth]] : []
}

function part(value: JsonValue, key: string): JsonValue | undefined {
  return Object.hasOwn(value as Parts, key) ? (value as JsonObject)[key] : undefined
}

/** Exact numbers are objects of their own even where their text is the same. */
function isSameNumber(before: JsonValue, after: JsonValue): boolean {
  return isExactNumber(before) && isExactNumber(after) && before.rawJSON === after.rawJSON
}

function isParts(value: JsonValue): value is Parts {
  return Array.isArray(value) || isObject(value)
}
