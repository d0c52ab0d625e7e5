/** Graph values as clients see them: plain JSON, with messages as flat objects. */
import type { JsonObject, JsonValue } from '../../../core/json.ts'

/**
 * Any value as JSON; never throws.
 *
 * - A LangChain message, of whichever copy of `@langchain/core`, is `{type, content, id, …}` with
 *   `type` `human`, `ai`, `tool`, `system`, …; a chunk has the type of its message (`ai`), as the
 *   official JavaScript server writes it.
 * - An `Error` is `{error: <class name>, message}`.
 * - A `Map` is an object when its keys are strings, else a list of pairs; a `Set` is a list; a
 *   `Date` is ISO 8601; bytes are base64; a `bigint` is a number where that is exact, else a string.
 * - `undefined`, functions and symbols are left out of objects and are `null` elsewhere; so are
 *   numbers that JSON lacks.
 * - A reference back to an object that contains it is `"[Circular]"`.
 */
export function toWire(value: unknown): JsonValue {
  return convert(value, []) ?? null
}

const AS_ASSIGNED = { enumerable: true, configurable: true, writable: true }

/** Deeper values are cut off: `JSON.stringify` would run out of stack. */
const MAX_DEPTH = 500

/** `undefined`: leave it out. `above` holds the objects that contain the value. */
function convert(value: unknown, above: object[]): JsonValue | undefined {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value
    case 'number':
      return Number.isFinite(value) ? value : null
    case 'bigint':
      return Number.isSafeInteger(Number(value)) ? Number(value) : String(value)
    case 'object':
      return value === null ? null : convertObject(value, above)
    default:
      return undefined
  }
}

function convertObject(value: object, above: object[]): JsonValue | undefined {
  if (above.includes(value)) return '[Circular]'
  if (above.length >= MAX_DEPTH) return '[Too deep]'
  above.push(value)
  try {
    return convertKind(value, above)
  } catch (error) {
    return `[Unreadable: ${error instanceof Error ? error.message : 'threw'}]`
  } finally {
    above.pop()
  }
}

function convertKind(value: object, above: object[]): JsonValue | undefined {
  if (Array.isArray(value)) return convertItems(value, above)
  const prototype = Object.getPrototypeOf(value)
  if (prototype === Object.prototype || prototype === null) return convertFields(value, above)
  if (isMessage(value)) return convertMessage(value, above)
  if (value instanceof Error) return { error: value.name, message: value.message }
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString()
  if (value instanceof Map) return convertMap(value, above)
  if (value instanceof Set) return convertItems([...value], above)
  if (value instanceof RegExp) return String(value)
  if (ArrayBuffer.isView(value)) return toBase64(value)
  if (value instanceof ArrayBuffer) return Buffer.from(value).toString('base64')
  if ('toJSON' in value && typeof value.toJSON === 'function') return convert(value.toJSON(), above)
  return convertFields(value, above)
}

/** The loop fills the gaps of sparse arrays too. */
function convertItems(items: readonly unknown[], above: object[]): JsonValue[] {
  const converted: JsonValue[] = []
  for (let i = 0; i < items.length; i += 1) converted.push(convert(items[i], above) ?? null)
  return converted
}

/** Fields are set one by one: a list of entries would take most of the time and memory of large values. */
function convertFields(value: object, above: object[]): JsonObject {
  const fields: JsonObject = {}
  for (const key of Object.keys(value)) {
    const converted = convert((value as Record<string, unknown>)[key], above)
    if (converted !== undefined) setField(fields, key, converted)
  }
  return fields
}

function setField(fields: JsonObject, key: string, value: JsonValue): void {
  if (key !== '__proto__') fields[key] = value
  else Object.defineProperty(fields, key, { value, ...AS_ASSIGNED })
}

function convertMap(map: Map<unknown, unknown>, above: object[]): JsonValue {
  const keys = [...map.keys()]
  if (keys.every((key) => typeof key === 'string')) {
    return convertFields(Object.fromEntries(map as Map<string, unknown>), above)
  }
  return convertItems([...map], above)
}

function toBase64(view: ArrayBufferView): string {
  return Buffer.from(view.buffer, view.byteOffset, view.byteLength).toString('base64')
}

/** The parts of a message that clients may see; those it does not have are left out. */
const MESSAGE_FIELDS = [
  'content',
  'id',
  'name',
  'role',
  'additional_kwargs',
  'response_metadata',
  'tool_calls',
  'invalid_tool_calls',
  'tool_call_chunks',
  'usage_metadata',
  'tool_call_id',
  'status',
  'artifact',
] as const

interface Message extends Partial<Record<(typeof MESSAGE_FIELDS)[number], unknown>> {
  getType?(): string
  _getType(): string
}

/** By shape: `instanceof` knows one copy of the class only. */
function isMessage(value: object): value is Message {
  return '_getType' in value && typeof value._getType === 'function' && 'content' in value
}

function convertMessage(message: Message, above: object[]): JsonObject {
  const fields = MESSAGE_FIELDS.map((field) => [field, convert(message[field], above)] as const)
  const present = fields.filter(
    (field): field is [(typeof field)[0], JsonValue] => field[1] !== undefined,
  )
  const type = message.getType?.() ?? message._getType()
  return { ...Object.fromEntries(present), type }
}
