/**
 * Stream mode `messages`: for each message of a model one `messages/metadata`, then
 * `messages/partial` with all of it so far for each piece, and one `messages/complete`. In the log all
 * pieces but the first are only what they added (`PIECE_EVENT`).
 */
import { type NewEvent, PIECE_EVENT } from '../core/event.ts'
import type { JsonValue } from '../core/json.ts'
import { toWire } from '../graph/wire.ts'
import { growthOf } from '../stream/growth.ts'

/** The part of a LangChain message that is needed here, whichever copy of the library made it. */
interface Message {
  id?: string | undefined
  /** Chunks only: this one and the next as one. */
  concat?(next: Message): Message
}

/** A message that is being written: all that came of it, and the same as clients see it. */
interface Unfinished {
  message: Message
  wire: JsonValue
}

export class MessageProjection {
  readonly #unfinished = new Map<string, Unfinished>()
  readonly #complete = new Set<string>()

  /** A piece of a message, or a whole one. */
  onMessage(message: Message, metadata: unknown): NewEvent[] {
    const { id } = message
    if (!id || this.#complete.has(id)) return []
    const sofar = this.#unfinished.get(id)
    const events = sofar
      ? []
      : [event('messages/metadata', { [id]: { metadata: toWire(metadata) } })]
    if (!message.concat) return [...events, ...this.#finish(id, message)]
    return [...events, this.#piece(id, sofar, message)]
  }

  /** A state of the graph: messages that stand in it are written to their end. */
  onValues(values: unknown): NewEvent[] {
    if (this.#unfinished.size === 0) return []
    return messagesIn(values).flatMap((message) => {
      const { id } = message
      return id && this.#unfinished.has(id) ? this.#finish(id, message) : []
    })
  }

  /** The run is over: what never came to stand in a state is as complete as it gets. */
  onEnd(): NewEvent[] {
    return [...this.#unfinished].flatMap(([id, { message }]) => this.#finish(id, message))
  }

  #piece(id: string, sofar: Unfinished | undefined, piece: Message): NewEvent {
    const message = sofar?.message.concat ? sofar.message.concat(piece) : piece
    const wire = toWire(message)
    this.#unfinished.set(id, { message, wire })
    if (!sofar) return event('messages/partial', [wire])
    return event(PIECE_EVENT, [id, growthOf(sofar.wire, wire) ?? null])
  }

  #finish(id: string, message: Message): NewEvent[] {
    this.#unfinished.delete(id)
    this.#complete.add(id)
    return [event('messages/complete', [toWire(message)])]
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
