/** Finds the texts of an item's value that are embedded, by paths as in `store.index.fields`. */
import { isObject, type JsonValue } from '../../json.ts'

/**
 * The texts at a path. `$` is the whole value. Otherwise the path consists of keys joined by periods,
 * with `[0]` or `[-1]` for one item of a list, `[*]` for each item, `*` for each item or field, and
 * `{a,b}` for several fields. A number or a boolean gives its text, an object or a list its JSON, a
 * missing value nothing.
 */
export function textsAt(value: JsonValue, path: string): string[] {
  if (path === '$' || path === '') return [JSON.stringify(value)]
  let found: JsonValue[] = [value]
  for (const step of stepsOf(path)) found = found.flatMap((one) => take(one, step))
  return found.flatMap(toText)
}

/** Splits `a.b[*].{c,d}` into `a`, `b`, `[*]`, `{c,d}`. */
function stepsOf(path: string): string[] {
  return path.match(/\[[^\]]*\]|\{[^}]*\}|[^.[\]{}]+/g) ?? []
}

function take(value: JsonValue, step: string): JsonValue[] {
  if (!Array.isArray(value) && !isObject(value)) return []
  if (step === '*') return Object.values(value)
  if (step.startsWith('[')) return takeItem(value, step.slice(1, -1))
  const keys = step.startsWith('{') ? step.slice(1, -1).split(',') : [step]
  return keys.flatMap((key) => takeField(value, key.trim()))
}

function takeItem(value: object, place: string): JsonValue[] {
  if (!Array.isArray(value)) return []
  if (place === '*') return value
  const item = /^-?\d+$/.test(place) ? value.at(Number(place)) : undefined
  return item === undefined ? [] : [item]
}

function takeField(value: object, key: string): JsonValue[] {
  if (Array.isArray(value) || !Object.hasOwn(value, key)) return []
  return [(value as { [key: string]: JsonValue })[key] as JsonValue]
}

function toText(value: JsonValue): string[] {
  if (value === null || value === '') return []
  return [typeof value === 'object' ? JSON.stringify(value) : String(value)]
}
