/**
 * Stream mode `messages`: assembles the messages of one namespace, with LangChain's own classes, from the pieces that
 * models write, until a state of the graph contains them.
 */
import type { MessageChange } from '../../../core/agent/host/emission.ts'
import { growthOf } from '../../../core/agent/host/growth.ts'
import type { JsonObject } from '../../../core/json.ts'
import { toWire } from '../langgraph/wire.ts'

/** The part of a LangChain message that is needed here, whichever copy of the library made it. */
export interface Message {
  id?: string | undefined
  /** Chunks only: joins this one and the next. */
  concat?(next: Message): Message
}

/** A message that no state contains yet: its pieces so far, and what was emitted of it. */
interface Unfinished {
  message: Message
  /** Absent: nothing was emitted, because it came whole. */
  wire?: JsonObject
}

export class MessageAssembly {
  readonly #unfinished = new Map<string, Unfinished>()
  /** Shared by the namespaces of a run: a graph has the messages of its subgraphs too. */
  readonly #complete: Set<string>

  constructor(complete: Set<string> = new Set()) {
    this.#complete = complete
  }

  /** A piece of a message, or a whole one, which is emitted when a state contains it. */
  onMessage(message: Message, metadata: unknown): MessageChange | undefined {
    const { id } = message
    if (!id || this.#complete.has(id)) return undefined
    const sofar = this.#unfinished.get(id)
    if (message.concat) return this.#grow(id, sofar, message, metadata)
    this.#unfinished.set(id, { ...sofar, message })
    return undefined
  }

  /** A state of the graph: the messages in it are complete. */
  onValues(values: unknown): MessageChange | undefined {
    return this.#finish(messagesIn(values), false)
  }

  /** The graph is done: messages that no state contains are as complete as they get. */
  onEnd(): MessageChange | undefined {
    const rest = [...this.#unfinished.values()].map(({ message }) => message)
    return this.#finish(rest, true)
  }

  #grow(
    id: string,
    sofar: Unfinished | undefined,
    piece: Message,
    metadata: unknown,
  ): MessageChange {
    const message = sofar?.message.concat ? sofar.message.concat(piece) : piece
    const wire = toWire(message) as JsonObject
    this.#unfinished.set(id, { message, wire })
    if (sofar?.wire) return { kind: 'grown', id, growth: growthOf(sofar.wire, wire) ?? null }
    const about = sofar ? undefined : (toWire(metadata) as JsonObject)
    return { kind: 'begun', message: wire, ...(about && { metadata: about }) }
  }

  #finish(messages: Message[], isLast: boolean): MessageChange | undefined {
    const added = messages.filter(({ id }) => {
      if (!id || this.#complete.has(id)) return false
      this.#unfinished.delete(id)
      this.#complete.add(id)
      return true
    })
    if (added.length === 0) return undefined
    return { kind: 'complete', messages: added.map((one) => toWire(one) as JsonObject), isLast }
  }
}

function messagesIn(values: unknown): Message[] {
  const messages = (values as { messages?: unknown } | null | undefined)?.messages
  return Array.isArray(messages)
    ? messages.filter((one) => one !== null && typeof one === 'object')
    : []
}
