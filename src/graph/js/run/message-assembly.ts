/**
 * Stream mode `messages`: the messages of one namespace, put together by LangChain's own classes from the
 * pieces that models write, until they stand in a state of the graph.
 */
import type { MessageChange } from '../../../core/agent/host/emission.ts'
import { growthOf } from '../../../core/agent/host/growth.ts'
import type { JsonObject } from '../../../core/json.ts'
import { toWire } from '../langgraph/wire.ts'

/** The part of a LangChain message that is needed here, whichever copy of the library made it. */
export interface Message {
  id?: string | undefined
  /** Chunks only: this one and the next as one. */
  concat?(next: Message): Message
}

/** A message that stands in no state yet: all that came of it, and what was told of it. */
interface Unfinished {
  message: Message
  /** Absent: nothing, as it came whole. */
  wire?: JsonObject
}

export class MessageAssembly {
  readonly #unfinished = new Map<string, Unfinished>()
  /** Shared by the namespaces of a run: a graph above has the messages of those below it. */
  readonly #complete: Set<string>

  constructor(complete: Set<string> = new Set()) {
    this.#complete = complete
  }

  /** A piece of a message, or a whole one: that is told when it stands in a state. */
  onMessage(message: Message, metadata: unknown): MessageChange | undefined {
    const { id } = message
    if (!id || this.#complete.has(id)) return undefined
    const sofar = this.#unfinished.get(id)
    if (message.concat) return this.#grow(id, sofar, message, metadata)
    this.#unfinished.set(id, { ...sofar, message })
    return undefined
  }

  /** A state of the graph: messages that stand in it are written to their end. */
  onValues(values: unknown): MessageChange | undefined {
    return this.#finish(messagesIn(values), false)
  }

  /** The graph is done: what never came to stand in a state is as complete as it gets. */
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
