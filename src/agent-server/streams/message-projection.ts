/**
 * Stream mode `messages`: for each message that a model streams one `messages/metadata`, then
 * `messages/partial` with all of it so far for each piece; behind each state of the graph one
 * `messages/complete` with those of its messages that were in none before it, whoever wrote them. In the
 * log all pieces but the first are only what they added (`PIECE_EVENT`).
 */

import { type NewEvent, PIECE_EVENT } from '../../core/agent/event.ts'
import { growthOf } from '../../core/agent/growth.ts'
import type { JsonValue } from '../../core/json.ts'
import { toWire } from '../../graph/js/langgraph/wire.ts'

/** The part of a LangChain message that is needed here, whichever copy of the library made it. */
interface Message {
  id?: string | undefined
  /** Chunks only: this one and the next as one. */
  concat?(next: Message): Message
}

/** A message that stands in no state yet: all that came of it, and what clients have seen of it. */
interface Unfinished {
  message: Message
  /** Absent: nothing, as it came whole. */
  wire?: JsonValue
}

export class MessageProjection {
  readonly #unfinished = new Map<string, Unfinished>()
  /** Shared by the namespaces of a run: a graph above has the messages of those below it. */
  readonly #complete: Set<string>

  constructor(complete: Set<string> = new Set()) {
    this.#complete = complete
  }

  /** A piece of a message, or a whole one: that is told when it stands in a state. */
  onMessage(message: Message, metadata: unknown): NewEvent[] {
    const { id } = message
    if (!id || this.#complete.has(id)) return []
    const sofar = this.#unfinished.get(id)
    if (!message.concat) {
      this.#unfinished.set(id, { ...sofar, message })
      return []
    }
    const piece = this.#piece(id, sofar, message)
    if (sofar) return [piece]
    return [event('messages/metadata', { [id]: { metadata: toWire(metadata) } }), piece]
  }

  /** A state of the graph: messages that stand in it are written to their end. */
  onValues(values: unknown): NewEvent[] {
    return this.#finish(messagesIn(values))
  }

  /** The run is over: what never came to stand in a state is as complete as it gets. */
  onEnd(): NewEvent[] {
    return this.#finish([...this.#unfinished.values()].map(({ message }) => message))
  }

  #piece(id: string, sofar: Unfinished | undefined, piece: Message): NewEvent {
    const message = sofar?.message.concat ? sofar.message.concat(piece) : piece
    const wire = toWire(message)
    this.#unfinished.set(id, { message, wire })
    if (sofar?.wire === undefined) return event('messages/partial', [wire])
    return event(PIECE_EVENT, [id, growthOf(sofar.wire, wire) ?? null])
  }

  #finish(messages: Message[]): NewEvent[] {
    const added = messages.filter(({ id }) => {
      if (!id || this.#complete.has(id)) return false
      this.#unfinished.delete(id)
      this.#complete.add(id)
      return true
    })
    return added.length > 0 ? [event('messages/complete', added.map(toWire))] : []
  }
}

function messagesIn(values: unknown): Message[] {
  const messages = (values as { messages?: unknown } | null | undefined)?.messages
  return Array.isArray(messages)
    ? messages.filter((one) => one !== null && typeof one === 'object')
    : []
}

function event(name: string, data: JsonValue): NewEvent {
  return { event: name, data: JSON.stringify(data) }
}
