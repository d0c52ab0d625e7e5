/** Revives values from stored JSON, whichever version and language wrote it. */
import type { SerializerProtocol } from '@langchain/langgraph-checkpoint'
import { ESCAPE, isEscape } from './stored-json.ts'

type Fields = Record<string, unknown>

/** Make objects of records; all other records stay data. */
type Makers = ReadonlyMap<string, Make>

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

type Class = new (fields: Fields) => object

/** Makes an object of the class from the arguments that were stored. */
type Make = (kwargs: Fields) => object

/**
 * The LangChain classes that stored values are revived as; objects of other classes stay data. By module and name, with
 * arguments for the constructor. Each constructor only stores its arguments.
 */
const CLASSES: Readonly<Record<string, Fields>> = {
  'messages/HumanMessage': { content: '' },
  'messages/HumanMessageChunk': { content: '' },
  'messages/AIMessage': { content: '' },
  'messages/AIMessageChunk': { content: '' },
  'messages/SystemMessage': { content: '' },
  'messages/SystemMessageChunk': { content: '' },
  'messages/ToolMessage': { content: '', tool_call_id: '' },
  'messages/ToolMessageChunk': { content: '', tool_call_id: '' },
  'messages/FunctionMessage': { content: '', name: '' },
  'messages/FunctionMessageChunk': { content: '', name: '' },
  'messages/ChatMessage': { content: '', role: '' },
  'messages/ChatMessageChunk': { content: '', role: '' },
  'messages/RemoveMessage': { id: '' },
  'prompt_values/ChatPromptValue': { messages: [] },
  'documents/Document': { page_content: '' },
}

/**
 * The classes that the project's own LangGraph revives, loaded once with arguments of ours: `load` of `@langchain/core`
 * looks up names and secrets in the data that it gets.
 */
export class Classes {
  readonly #own: Pick<SerializerProtocol, 'loadsTyped'>
  #made: Promise<Makers> | undefined

  /** `own`: the serializer of the project's LangGraph. */
  constructor(own: Pick<SerializerProtocol, 'loadsTyped'>) {
    this.#own = own
  }

  /** By `keyOf`; classes that the project's version lacks are left out. */
  known(): Promise<Makers> {
    this.#made ??= this.#load()
    return this.#made
  }

  async #load(): Promise<Makers> {
    const made = new Map<string, Make>()
    for (const [key, kwargs] of Object.entries(CLASSES)) {
      const id = ['langchain_core', ...key.split('/')]
      const one = await this.#revive({ lc: 1, type: 'constructor', id, kwargs })
      if (one && 'lc_kwargs' in one) made.set(key, makerOf(one))
    }
    const snapshot = await this.#revive({ lc: 2, type: 'delta_snapshot', value: null })
    if (snapshot && 'lg_name' in snapshot) {
      const Snapshot = snapshot.constructor as new (value: unknown) => object
      made.set(DELTA_SNAPSHOT, ({ value }) => new Snapshot(value))
    }
    return made
  }

  async #revive(record: object): Promise<object | undefined> {
    const bytes = new TextEncoder().encode(JSON.stringify(record))
    const revived: unknown = await this.#own.loadsTyped('json', bytes).catch(() => undefined)
    return typeof revived === 'object' && revived !== null ? revived : undefined
  }
}

const DELTA_SNAPSHOT = 'DeltaSnapshot'

const NAMESPACES = new Set(['langchain_core', 'langchain'])

/** The class that an id of LangChain names; Python's ids are longer: `[langchain, schema, messages, HumanMessage]`. */
function keyOf(id: unknown): string | undefined {
  if (!Array.isArray(id) || !NAMESPACES.has(id[0])) return undefined
  const module = id.find((part) => MODULES.has(part))
  const key = `${module}/${id.at(-1)}`
  return module !== undefined && Object.hasOwn(CLASSES, key) ? key : undefined
}

const MODULES = new Set(Object.keys(CLASSES).map((key) => key.split('/')[0]))

/** The constructor's names of arguments that are stored under another name. */
const ARGUMENTS: Readonly<Record<string, string>> = {
  content_blocks: 'contentBlocks',
  page_content: 'pageContent',
}

function makerOf(one: object): Make {
  const Own = one.constructor as Class
  return (kwargs) => {
    const named = Object.entries(kwargs).map(([name, value]) => [ARGUMENTS[name] ?? name, value])
    return new Own(Object.fromEntries(named))
  }
}
