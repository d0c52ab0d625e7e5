/** The LangChain classes that stored values are revived as; objects of other classes stay data. */
import type { SerializerProtocol } from '@langchain/langgraph-checkpoint'

type Fields = Record<string, unknown>
type Class = new (fields: Fields) => object

/** Makes an object of the class from the arguments that were stored. */
type Make = (kwargs: Fields) => object

/** By module and name, with arguments for the constructor. Each constructor only stores its arguments. */
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
  #made: Promise<ReadonlyMap<string, Make>> | undefined

  /** `own`: the serializer of the project's LangGraph. */
  constructor(own: Pick<SerializerProtocol, 'loadsTyped'>) {
    this.#own = own
  }

  /** By `keyOf`; classes that the project's version lacks are left out. */
  known(): Promise<ReadonlyMap<string, Make>> {
    this.#made ??= this.#load()
    return this.#made
  }

  async #load(): Promise<ReadonlyMap<string, Make>> {
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

export const DELTA_SNAPSHOT = 'DeltaSnapshot'

const NAMESPACES = new Set(['langchain_core', 'langchain'])

/** The class that an id of LangChain names; Python's ids are longer: `[langchain, schema, messages, HumanMessage]`. */
export function keyOf(id: unknown): string | undefined {
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
