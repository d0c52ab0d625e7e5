/** Revives values from stored JSON, whichever version and language wrote it. */
import { DELTA_SNAPSHOT, keyOf } from './classes.ts'
import { ESCAPE, isEscape } from './escape.ts'

type Fields = Record<string, unknown>

/** Make objects of records; all other records stay data. */
type Makers = ReadonlyMap<string, (kwargs: Fields) => object>

/**
 * Replaces records in parsed JSON, in place, by their values: LangChain objects that have a maker, and the few values
 * that JSON lacks. A record that names anything else, as a client may have sent it, stays data: no environment variable
 * and no class is looked up by its name.
 */
export function revive(json: unknown, makers: Makers): unknown {
  if (typeof json !== 'object' || json === null) return json
  if (Array.isArray(json)) return reviveItems(json, makers)
  if (isEscape(json)) return reviveFields(json[ESCAPE], makers)
  const fields = reviveFields(json, makers) as Fields
  return Object.hasOwn(fields, 'lc') ? toValue(fields, makers) : fields
}

function reviveItems(items: unknown[], makers: Makers): unknown[] {
  for (let place = 0; place < items.length; place += 1) items[place] = revive(items[place], makers)
  return items
}

/** Revives what is in the object, but not the object itself. */
function reviveFields(value: unknown, makers: Makers): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return revive(value, makers)
  for (const [key, item] of Object.entries(value)) {
    // An own field of the value, even if its name is `__proto__`.
    if (typeof item === 'object' && item !== null) (value as Fields)[key] = revive(item, makers)
  }
  return value
}

function toValue(record: Fields, makers: Makers): unknown {
  if (record.lc === 2) return toPlainValue(record, makers)
  if (record.lc !== 1 || record.type !== 'constructor') return record
  const make = makers.get(keyOf(record.id) ?? '')
  return (make && made(() => make({ ...(record.kwargs as Fields) }))) ?? record
}

function toPlainValue(record: Fields, makers: Makers): unknown {
  if (record.type === 'undefined') return undefined
  if (record.type === 'delta_snapshot') return makers.get(DELTA_SNAPSHOT)?.(record) ?? record
  if (record.type !== 'constructor' || !Array.isArray(record.id) || record.id.length !== 1)
    return record
  const toMade = VALUES[record.id[0]]
  const args = (Array.isArray(record.args) ? record.args : []) as never[]
  return (toMade && made(() => toMade(...args))) ?? record
}

/** By the name in the record. */
const VALUES: Readonly<Record<string, (...args: never[]) => object>> = {
  __proto__: null as never,
  Set: (items: unknown[]) => new Set(items),
  Map: (items: [unknown, unknown][]) => new Map(items),
  RegExp: (source: string, flags: string) => new RegExp(source, flags),
  Error: (message: string) => new Error(message),
  // `from` takes a length as well, as large as a client likes: only a list has an iterator.
  Uint8Array: (bytes: number[]) => Uint8Array.from(bytes[Symbol.iterator]()),
}

/** `undefined` if the arguments do not fit: the record stays data. */
function made(make: () => object): object | undefined {
  try {
    return make()
  } catch {
    return undefined
  }
}
