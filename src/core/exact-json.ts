/**
 * JSON whose numbers stay as they were written, where a JavaScript number would change them: whole ones beyond
 * 2^53, and floating ones without a fraction, which would lose their `.0`. Python tells those apart.
 *
 * `JSON.rawJSON` makes such a number from its text. `JSON.stringify` writes that text again; code that computes with it
 * calls `plainNumber` first.
 */
import { type ExactNumber, isExactNumber, isObject, type JsonValue } from './json.ts'

declare global {
  interface JSON {
    rawJSON(text: string): ExactNumber
    isRawJSON(value: unknown): value is ExactNumber
    parse(
      text: string,
      reviver: (key: string, value: unknown, context: { source?: string }) => unknown,
    ): unknown
  }
}

/** Whether the text may contain such a number. Most texts do not, and are read five times as fast. */
const SUSPICIOUS = /(?:^|[[:,\s])-?(?:[\d.]{16}|\d+\.0+(?!\d)|[\d.]+[eE])/
const WHOLE = /^-?\d+$/

/** As `JSON.parse`, with numbers as they were written. A float beyond what a double can hold becomes `null`. */
// biome-ignore lint/suspicious/noExplicitAny: as of `JSON.parse`
export function parseJson(text: string): any {
  return SUSPICIOUS.test(text) ? JSON.parse(text, keepNumber) : JSON.parse(text)
}

/** As `JSON.parse`, but exact only in the value at this path of keys: of the one message, or of each in a list. */
export function parseJsonAt(text: string, path: readonly string[]): JsonValue {
  if (!SUSPICIOUS.test(text)) return JSON.parse(text)
  const read: JsonValue = parseJson(text)
  return Array.isArray(read) ? read.map((one) => plainAround(one, path)) : plainAround(read, path)
}

function plainAround(value: JsonValue, [key, ...rest]: readonly string[]): JsonValue {
  if (key === undefined) return value
  const around = withPlainNumbers(value)
  if (!isObject(value) || !isObject(around) || !Object.hasOwn(value, key)) return around
  return { ...around, [key]: plainAround(value[key] as JsonValue, rest) }
}

function keepNumber(_key: string, value: unknown, { source }: { source?: string }): unknown {
  if (typeof value !== 'number' || source === undefined) return value
  if (WHOLE.test(source)) return Number.isSafeInteger(value) ? value : JSON.rawJSON(source)
  if (!Number.isFinite(value)) return null
  // With an exponent or a fraction in its text, every reader takes it for a float.
  const text = Object.is(value, -0) ? '-0' : String(value)
  return WHOLE.test(text) ? JSON.rawJSON(`${text}.0`) : value
}

/** The number as JavaScript and the official TypeScript server read it; any other value unchanged. */
export function plainNumber<T>(value: T): T | number {
  return isExactNumber(value) ? Number(value.rawJSON) : value
}

/** The value with JavaScript's numbers everywhere; the same object if it has no others. */
export function withPlainNumbers<T>(value: T): T {
  return plain(value) as T
}

function plain(value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.map(plain)
    return items.some((item, i) => item !== value[i]) ? items : value
  }
  if (!isObject(value)) return plainNumber(value)
  let changed: Record<string, unknown> | undefined
  for (const key of Object.keys(value)) {
    const field = plain(value[key])
    if (field === value[key]) continue
    changed ??= { ...value }
    Object.defineProperty(changed, key, { value: field })
  }
  return changed ?? value
}

/** Whether both are the same JSON. Keys have no order, and `2` equals `2.0`, as in Python and in PostgreSQL. */
export function equalsJson(one: JsonValue | undefined, other: JsonValue | undefined): boolean {
  if (one === other) return true
  if (isNumber(one) && isNumber(other)) return numberText(one) === numberText(other)
  if (Array.isArray(one)) {
    if (!Array.isArray(other) || one.length !== other.length) return false
    return one.every((item, i) => equalsJson(item, other[i]))
  }
  if (!isObject(one) || !isObject(other)) return false
  const keys = Object.keys(one)
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) => Object.hasOwn(other, key) && equalsJson(one[key], other[key]))
  )
}

function isNumber(value: unknown): value is number | ExactNumber {
  return typeof value === 'number' || isExactNumber(value)
}

/** The JSON of a number: equal numbers have the same, so `2` for `2.0`. */
export function numberText(value: number | ExactNumber): string {
  if (typeof value === 'number') return JSON.stringify(value)
  const text = value.rawJSON.replace(/\.0$/, '')
  return text === '-0' ? '0' : text
}

/** For `<` and `>`, which compare whole numbers of any length exactly. `NaN`: it is no number. */
export function orderedNumber(value: unknown): number | bigint {
  const text = isNumber(value) ? numberText(value) : typeof value === 'string' ? value.trim() : ''
  if (WHOLE.test(text) && text.length <= MAX_DIGITS) return BigInt(text)
  return text === '' ? Number.NaN : Number(text)
}

/** Python reads no whole number with more digits. */
export const MAX_DIGITS = 4_300

/**
 * Whether `document` contains all of `wanted`, as PostgreSQL's `@>` defines it: each key of an object with its contents,
 * each item of a list at any place, any other value as it is.
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
