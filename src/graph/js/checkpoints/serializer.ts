/**
 * The serializer of a project's LangGraph, with its JSON written and read by Runyard. What clients send is data, wherever it lies in a
 * value. LangGraph's own serializer revives objects that only look like LangChain's; before `@langchain/core` 0.3.80 and 1.1.8 it reads
 * the environment variables that they name.
 */
import type { SerializerProtocol } from '@langchain/langgraph-checkpoint'
import { Classes } from './classes.ts'
import { revive } from './revive.ts'
import { toStoredJson } from './stored-json.ts'

const guarded = new WeakSet<object>()

/**
 * Has all serializers of this one's class write and read as `stored-json.ts` and `revive.ts` say: those of caches, and of
 * checkpointers that the project itself gives to subgraphs. Once is enough, more is harmless.
 */
export function guardSerializers(serde: SerializerProtocol): void {
  const prototype = Object.getPrototypeOf(serde)
  if (guarded.has(prototype)) return
  guarded.add(prototype)
  const own = Object.create(
    prototype,
    Object.getOwnPropertyDescriptors(prototype),
  ) as SerializerProtocol
  const classes = new Classes(own)
  // LangGraph before 0.4 does not wait for it.
  prototype.dumpsTyped = (value: unknown) =>
    value instanceof Uint8Array ? ['bytes', value] : ['json', encoder.encode(toStoredJson(value))]
  prototype.loadsTyped = async (type: string, data: Uint8Array | string) => {
    if (type !== 'json') return own.loadsTyped(type, data)
    const text = typeof data === 'string' ? data : decoder.decode(data)
    const json: unknown = JSON.parse(text)
    return RECORD.test(text) ? revive(json, await classes.known()) : json
  }
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** A key that something is to be made of. */
const RECORD = /"(?:lc|__lc_escaped__)":/
