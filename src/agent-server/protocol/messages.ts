/** Converts the messages of a run's models to the protocol's events. */

import type { RunEvent } from '../../core/agent/event.ts'
import type { MessagePiece, ModelEnd } from '../../core/agent/host/emission.ts'
import { protocolPlaceOf } from '../../core/agent/protocol.ts'
import type { JsonObject } from '../../core/json.ts'
import { MessageBlocks } from './message-blocks.ts'
import type { Message } from './message-pieces.ts'

export interface MessageEvent {
  namespace: string[]
  node: string | undefined
  /** The message's role: `ai`, `human`, `system`. */
  role: string
  data: JsonObject
}

interface Unfinished {
  namespace: string[]
  node: string | undefined
  blocks: MessageBlocks
  /** The number of pieces so far, and the total once it is known. */
  pieces: number
  of: number | undefined
}

export class Messages {
  readonly #unfinished = new Map<string, Unfinished>()
  readonly #finished = new Set<string>()
  /** By message id: the namespace in which an earlier attempt at the run wrote the message. */
  readonly #writtenIn = new Map<string, string>()
  /** By message id: the total of pieces, if the model ended before the first piece arrived. */
  readonly #early = new Map<string, number>()

  /** Notes an event of an earlier attempt at the run. */
  restore({ event, data }: Pick<RunEvent, 'event' | 'data'>): void {
    const place = protocolPlaceOf(event)
    if (place?.channel !== 'messages' || !data.includes('"message-start"')) return
    const { id } = (JSON.parse(data) as { data: { id?: string } }).data
    if (id) this.#writtenIn.set(id, place.namespace.join('|'))
  }

  /** A piece of a message, or a whole one. Ignores tool messages, which have their own channel. */
  onMessage(namespace: string[], piece: MessagePiece): MessageEvent[] {
    const { metadata, isPiece } = piece
    const message = piece.message as unknown as Message
    const { id, type } = message
    if (!id || this.#finished.has(id) || type === 'tool') return []
    // A parent graph returns a message that a subgraph wrote in an earlier attempt.
    if ((this.#writtenIn.get(id) ?? namespace.join('|')) !== namespace.join('|')) return []
    const known = this.#unfinished.get(id)
    const one = known ?? this.#begin(id, { namespace, message, metadata })
    one.pieces += 1
    const begun = known ? [] : [one.blocks.start(metadata)]
    const events = placed(one, [...begun, ...one.blocks.add(message)])
    const isLast = one.pieces === one.of || !isPiece
    return isLast ? [...events, ...this.#finish(one)] : events
  }

  /** The model has finished the message, some pieces of which may still arrive, or has failed. */
  onModelEnd(end: ModelEnd): MessageEvent[] {
    const one = this.#unfinished.get(end.id)
    if ('failure' in end) {
      const { error: code, message } = end.failure
      return one ? this.#fail(one, { message, code }) : []
    }
    if (!one) this.#early.set(end.id, end.pieces)
    else if (one.pieces >= end.pieces) return this.#finish(one)
    else one.of = end.pieces
    return []
  }

  /** Finishes the messages of a task that has its result. */
  onTaskEnd(namespace: readonly string[]): MessageEvent[] {
    const within = [...this.#unfinished.values()].filter((one) =>
      namespace.every((part, i) => one.namespace[i] === part),
    )
    return within.flatMap((one) => this.#finish(one))
  }

  /** The run is over: finishes the open messages, or with a failure ends them with its error. */
  onEnd(failure?: { message: string; code: string }): MessageEvent[] {
    const rest = [...this.#unfinished.values()]
    return rest.flatMap((one) => (failure ? this.#fail(one, failure) : this.#finish(one)))
  }

  #begin(
    id: string,
    {
      namespace,
      message,
      metadata,
    }: {
      namespace: string[]
      message: Message
      metadata: JsonObject
    },
  ): Unfinished {
    const { langgraph_node } = metadata
    const node = typeof langgraph_node === 'string' ? langgraph_node : undefined
    const of = this.#early.get(id)
    const one = { namespace, node, blocks: new MessageBlocks(id, message), pieces: 0, of }
    this.#unfinished.set(id, one)
    return one
  }

  #finish(one: Unfinished): MessageEvent[] {
    this.#forget(one)
    return placed(one, one.blocks.finish())
  }

  #fail(one: Unfinished, { message, code }: { message: string; code: string }): MessageEvent[] {
    this.#forget(one)
    return placed(one, one.blocks.fail(message, code))
  }

  #forget({ blocks: { id } }: Unfinished): void {
    this.#unfinished.delete(id)
    this.#early.delete(id)
    this.#finished.add(id)
  }
}

function placed({ namespace, node, blocks }: Unfinished, datas: JsonObject[]): MessageEvent[] {
  return datas.map((data) => ({ namespace, node, role: blocks.role, data }))
}
