/** Values out of stored JSON, whichever version and language has written it. */
import { DELTA_SNAPSHOT, keyOf } from './classes.ts'
import { ESCAPE, isEscape } from './escape.ts'

type Fields = Record<string, unknown>

/** What can make something of a record; all else is data. */
type Makers = ReadonlyMap<string, (kwargs: Fields) => object>

/**
 * Replaces the records in parsed JSON, which it changes, by what they stand for: LangChain's objects that have a maker, and
 * the few values that JSON lacks. A record that names anything else, as a client may have sent it, stays the data that it
 * is: nothing is looked up by its name, no variable of the environment and no class.
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

/** What is in the value; not the value itself. */
function reviveFields(value: unknown, makers: Makers): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return revive(value, makers)
  for (const [key, item] of Object.entries(value)) {
    // A field of its own, even where it is called `__proto__`.
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

/** By the names in their records. */
const VALUES: Readonly<Record<string, (...args: never[]) => object>> = {
  __proto__: null as never,
  Set: (items: unknown[]) => new Set(items),
  Map: (items: [unknown, unknown][]) => new Map(items),
  RegExp: (source: string, flags: string) => new RegExp(source, flags),
  Error: (message: string) => new Error(message),
  // `from` takes a length as well, as large as a client likes: only a list has an iterator.
  Uint8Array: (bytes: number[]) => Uint8Array.from(bytes[Symbol.iterator]()),
}

/** `undefined` where the arguments are none for it: the record is data then. */
function made(make: () => object): object | undefined {
  try {
    return make()
  } catch {
    return undefined
  }
}
