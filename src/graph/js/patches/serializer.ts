/**
 * The serializer of a project's LangGraph, with its JSON written and read by Runyard. Data from clients stays data,
 * wherever it is in a value. LangGraph's own serializer revives objects that only look like LangChain's; before
 * `@langchain/core` 0.3.80 and 1.1.8 it reads the environment variables that they name.
 */
import type { SerializerProtocol } from '@langchain/langgraph-checkpoint'
import { Classes, revive } from '../checkpoints/revive.ts'
import { toStoredJson } from '../checkpoints/stored-json.ts'
import { isPatched } from './patches.ts'

const guarded = new WeakSet<object>()

/**
 * Makes all serializers of this one's class use `stored-json.ts` and `revive.ts`, also those of caches and of
 * checkpointers that the project gives to subgraphs. Repeated calls are harmless.
 */
export function guardSerializers(serde: SerializerProtocol): void {
  const prototype = Object.getPrototypeOf(serde)
  if (guarded.has(prototype) || !isPatched('serializer')) return
  guarded.add(prototype)
  const own = Object.create(
    prototype,
    Object.getOwnPropertyDescriptors(prototype),
  ) as SerializerProtocol
  const classes = new Classes(own)
  // Not async: LangGraph before 0.4 does not await it.
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

/** Matches JSON that may contain a record to revive. */
const RECORD = /"(?:lc|__lc_escaped__)":/
