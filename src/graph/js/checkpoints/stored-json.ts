/** A graph's values as the JSON that is stored; `revive.ts` reads it. */

/** A value that cannot be stored without loss. The message names the place in the value. */
export class UnstorableValue extends Error {
  override readonly name = 'UnstorableValue'
}

/** Deeper values would overflow the stack, here or when they are read. */
const MAX_DEPTH = 1_000
/** How many keys of a value's path a message names at most. */
const MAX_KEYS_TOLD = 12

/**
 * The text of a value, in LangGraph's own format:
 *
 * - LangChain's objects, `undefined`, sets, maps, regular expressions, errors and bytes are read back as such;
 *   data that looks like one of them is escaped, and read back as it was.
 * - As in any JSON, functions and symbols in an object are left out, dates are text, numbers that JSON lacks are
 *   `null`, and an object of a class is its `toJSON()` or its fields. A reference back to an object that contains it is
 *   `"[Circular]"`.
 *
 * Throws `UnstorableValue` for a `bigint`, for a function or a symbol as the value itself, for values that are nested
 * too deeply, and when a `toJSON` or a getter throws. LangGraph's own serializer stores a text in place of the whole
 * value then.
 */
export function toStoredJson(value: unknown): string {
  const json = new Writer().write(value)
  if (json === undefined) throw new UnstorableValue(`it is a ${typeof value}`)
  return JSON.stringify(json)
}

type Fields = Record<string, unknown>

class Writer {
  readonly #above: object[] = []
  readonly #path: (string | number)[] = []

  /** Returns `undefined` for what JSON leaves out. */
  write(value: unknown): unknown {
    switch (typeof value) {
      case 'string':
      case 'boolean':
        return value
      case 'number':
        return Number.isFinite(value) ? value : null
      case 'undefined':
        return { lc: 2, type: 'undefined' }
      case 'object':
        return value === null ? null : this.#within(value)
      case 'bigint':
        return this.#bigint(value)
      default:
        return isConvertible(value) ? this.write(this.#converted(value)) : undefined
    }
  }

  /** A project may have given bigints a `toJSON`. */
  #bigint(value: bigint): unknown {
    if (isConvertible(value)) return this.write(this.#converted(value))
    throw this.#refusal('is a BigInt; make it a string or a number')
  }

  #within(value: object): unknown {
    if (this.#above.includes(value)) return '[Circular]'
    if (this.#above.length >= MAX_DEPTH)
      throw this.#refusal(`is more than ${MAX_DEPTH} levels deep`)
    this.#above.push(value)
    const written = this.#object(value)
    this.#above.pop()
    return written
  }

  #object(value: object): unknown {
    if (isSend(value)) return this.#fields(fieldsOfSend(value))
    if (isConvertible(value)) return this.#convertible(value)
    return this.#unconverted(value)
  }

  /** Like `JSON.stringify`, does not convert the result again: a `toJSON` may return its own object. */
  #asConverted(json: unknown): unknown {
    return typeof json === 'object' && json !== null ? this.#unconverted(json) : this.write(json)
  }

  #unconverted(value: object): unknown {
    if (Array.isArray(value)) return Array.from(value, (item, place) => this.#step(place, item))
    if (isPlain(value)) return this.#data(value)
    return this.#instance(value)
  }

  #convertible(value: Convertible): unknown {
    const own = isSerializable(value) && isMessage(value) ? ownArguments(value) : undefined
    if (own) return this.#langchain((value as Serializable).lc_id, own)
    const json = this.#converted(value)
    if (!isSerializable(value) || !isConstructor(json)) return this.#asConverted(json)
    return this.#langchain(json.id, json.kwargs)
  }

  #langchain(id: unknown, kwargs: Fields): Fields {
    return { lc: 1, type: 'constructor', id, kwargs: this.#data(kwargs) }
  }

  #converted(value: Convertible): unknown {
    try {
      return value.toJSON(String(this.#path.at(-1) ?? ''))
    } catch (cause) {
      throw this.#refusal(`cannot be converted: its toJSON threw "${textOf(cause)}"`, cause)
    }
  }

  #instance(value: object): unknown {
    if (value instanceof Set) return this.#made('Set', [...value])
    if (value instanceof Map) return this.#made('Map', [...value])
    if (value instanceof Uint8Array)
      return { ...this.#made('Uint8Array', [...value]), method: 'from' }
    if (value instanceof RegExp) return this.#made('RegExp', value.source, value.flags)
    if (value instanceof Error) return this.#made('Error', value.message)
    if (isDeltaSnapshot(value)) {
      return { lc: 2, type: 'delta_snapshot', value: this.#step('value', value.value) }
    }
    return isBoxed(value) ? this.write(value.valueOf()) : this.#data(value)
  }

  /** The record of a value that JSON lacks: the call that makes it. */
  #made(name: string, ...args: unknown[]): Fields {
    return {
      lc: 2,
      type: 'constructor',
      id: [name],
      method: null,
      args: args.map((one) => this.write(one)),
      kwargs: {},
    }
  }

  #data(value: object): Fields {
    const fields = this.#fields(value)
    return needsEscape(value) ? { [ESCAPE]: fields } : fields
  }

  #fields(value: object): Fields {
    const fields: Fields = {}
    for (const key of Object.keys(value)) {
      const written = this.#step(key, this.#read(value, key))
      if (key !== '__proto__') fields[key] = written
      else Object.defineProperty(fields, key, { value: written, enumerable: true })
    }
    return fields
  }

  /** A field may be a getter. */
  #read(value: object, key: string): unknown {
    try {
      return (value as Fields)[key]
    } catch (cause) {
      throw this.#refusal(`cannot be read: its field "${key}" threw "${textOf(cause)}"`, cause)
    }
  }

  #step(key: string | number, value: unknown): unknown {
    this.#path.push(key)
    const written = this.write(value)
    this.#path.pop()
    return written
  }

  #refusal(what: string, cause?: unknown): UnstorableValue {
    const place = this.#path.slice(0, MAX_KEYS_TOLD).map(stepTo).join('').replace(/^\./, '')
    const rest = this.#path.length > MAX_KEYS_TOLD ? '…' : ''
    return new UnstorableValue(place ? `its ${place}${rest} ${what}` : `it ${what}`, { cause })
  }
}

function stepTo(key: string | number): string {
  return typeof key === 'number' ? `[${key}]` : `.${key}`
}

function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

function isBoxed(value: object): boolean {
  return value instanceof Number || value instanceof String || value instanceof Boolean
}

interface Convertible {
  toJSON(key: string): unknown
}

function isConvertible(value: unknown): value is Convertible {
  return typeof (value as Partial<Convertible>).toJSON === 'function'
}

/** One of LangChain's own objects: no data has methods. */
interface Serializable extends Convertible {
  lc_serializable: true
  lc_id: unknown
  lc_kwargs: Fields
}

function isSerializable(value: Convertible): value is Serializable {
  const { lc_serializable, lc_kwargs } = value as Partial<Serializable>
  return lc_serializable === true && typeof lc_kwargs === 'object' && lc_kwargs !== null
}

interface Constructor {
  id: unknown
  kwargs: Fields
}

function isConstructor(json: unknown): json is Constructor {
  const { lc, type, kwargs } = (json ?? {}) as Fields
  return lc === 1 && type === 'constructor' && typeof kwargs === 'object' && kwargs !== null
}

function isMessage(value: object): boolean {
  return typeof (value as Fields)._getType === 'function'
}

/**
 * The arguments of a message as they are: the `toJSON` of later versions escapes them, and makes empty objects of
 * dates, maps and sets. `undefined` where its names are not known.
 */
function ownArguments(message: Serializable): Fields | undefined {
  const names = storedNames.get(message.constructor) ?? new Map<string, string | undefined>()
  storedNames.set(message.constructor, names)
  const { lc_kwargs } = message
  const own: Fields = {}
  for (const name of Object.keys(lc_kwargs)) {
    if (!names.has(name)) names.set(name, storedName(message, name))
    const stored = names.get(name)
    if (stored === undefined) return undefined
    own[stored] = name in message ? (message as unknown as Fields)[name] : lc_kwargs[name]
  }
  return own
}

/** What each class calls its arguments in JSON. */
const storedNames = new WeakMap<object, Map<string, string | undefined>>()

const MARK = 'the value of the argument'

/** Calls the message's own `toJSON` on an object that has only this argument. */
function storedName(message: Serializable, name: string): string | undefined {
  const marked = { value: MARK }
  const lc_kwargs = { value: { [name]: MARK } }
  try {
    const json: unknown = Object.create(message, { lc_kwargs, [name]: marked }).toJSON()
    const kwargs = isConstructor(json) ? Object.entries(json.kwargs) : []
    return kwargs.find(([, value]) => value === MARK)?.[0]
  } catch {
    // A class with private fields cannot read an object that `Object.create` made.
    return undefined
  }
}

interface Send {
  node: unknown
  args: unknown
  timeout?: unknown
}

function isSend(value: object): value is Send {
  return !isPlain(value) && (value as Fields).lg_name === 'Send'
}

function fieldsOfSend({ node, args, timeout }: Send): Fields {
  return { node, args, ...(timeout !== undefined && { timeout }) }
}

function isDeltaSnapshot(value: object): value is { value: unknown } {
  return (value as Fields).lg_name === 'DeltaSnapshot'
}

function textOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}

/**
 * How stored JSON keeps LangChain's objects apart from data that looks like one. `{lc: 1, type: "constructor", …}` is a
 * LangChain object and `{lc: 2, …}` a value that JSON lacks; data with a key `lc` is wrapped in `ESCAPE`, as
 * `@langchain/core` does since 0.3.80 and 1.1.8. The reader for Python is
 * `hosts/python/src/runyard_host/checkpoints/stored_json.py`.
 */
export const ESCAPE = '__lc_escaped__'

export function isEscape(value: object): value is { [ESCAPE]: unknown } {
  return Object.hasOwn(value, ESCAPE) && Object.keys(value).length === 1
}

/** Whether a reader could take the data for something else. */
function needsEscape(value: object): boolean {
  return Object.hasOwn(value, 'lc') || isEscape(value)
}
