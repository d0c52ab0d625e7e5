/**
 * The protocol's events of a message while it is written: `message-start`, then its content blocks,
 * one after the other (`content-block-start`, deltas, `content-block-finish`), then `message-finish`.
 *
 * A delta is an addition to a text, to reasoning, or to the arguments of a tool call. The JavaScript SDK before 1.12.8
 * does not know `tool-call-delta`, and throws unless `content` has the same addition in the older form.
 */
import { plainNumber } from '../../core/exact-json.ts'
import { isObject, type JsonObject, type JsonValue } from '../../core/json.ts'
import { finalBlock, type Message, type Piece, piecesOf } from './message-pieces.ts'

/** A block while it grows. */
interface Block {
  key: string
  content: JsonObject
}

export class MessageBlocks {
  readonly id: string
  readonly role: string
  readonly #blocks: Block[] = []
  #open: Block | undefined
  /** Index of the open block, or of the last one. */
  #index = 0
  #usage: JsonObject | undefined
  readonly #metadata: JsonObject = {}

  /** `message`: its first piece. */
  constructor(id: string, message: Message) {
    this.id = id
    this.role = roleOf(message)
  }

  start(metadata: JsonObject): JsonObject {
    const about = concise(metadata)
    return this.#event('message-start', {
      role: this.role,
      id: this.id,
      ...(Object.keys(about).length > 0 && { metadata: about }),
    })
  }

  /** A piece of the message, or all of it. */
  add(message: Message): JsonObject[] {
    Object.assign(this.#metadata, message.response_metadata)
    this.#usage = addUsage(this.#usage, message.usage_metadata)
    return piecesOf(message).flatMap((piece) => this.#take(piece))
  }

  finish(): JsonObject[] {
    const hasCalls = this.#blocks.some(({ content }) => content.type === 'tool_call_chunk')
    const last = this.#event('message-finish', {
      reason: reasonOf(this.#metadata, hasCalls),
      ...(this.#usage && { usage: this.#usage }),
    })
    return [...this.#close(), last]
  }

  /** The message will not be completed. */
  fail(message: string, code: string): JsonObject[] {
    return [this.#event('error', { message, code })]
  }

  #take(piece: Piece): JsonObject[] {
    if (this.#open?.key === piece.key) return [this.#grow(this.#open, piece)]
    const known = this.#blocks.find(({ key }) => key === piece.key)
    const block = known ?? { key: piece.key, content: piece.start }
    const closed = this.#close()
    if (!known) this.#blocks.push(block)
    this.#open = block
    this.#index = this.#blocks.indexOf(block)
    const begun = this.#blockEvent('content-block-start', { content: block.content })
    return [...closed, begun, ...(piece.isEmpty ? [] : [this.#grow(block, piece)])]
  }

  #grow(block: Block, piece: Piece): JsonObject {
    const { content, delta, older } = piece.grow(block.content)
    block.content = content
    return this.#blockEvent('content-block-delta', { delta, ...(older && { content: older }) })
  }

  #close(): JsonObject[] {
    if (!this.#open) return []
    const content = finalBlock(this.#open.content)
    const finished = this.#blockEvent('content-block-finish', { content })
    this.#open = undefined
    return [finished]
  }

  #blockEvent(event: string, fields: JsonObject): JsonObject {
    return this.#event(event, { index: this.#index, ...fields })
  }

  /** `run_id` separates messages that one node writes at the same time. */
  #event(event: string, fields: JsonObject): JsonObject {
    return { event, ...fields, run_id: this.id }
  }
}

function roleOf({ type }: Message): string {
  return type === 'human' || type === 'system' ? type : 'ai'
}

/** Metadata of a model call that `message-start` includes: LangChain's names, and the protocol's. */
const ABOUT = {
  ls_provider: 'provider',
  ls_model_name: 'model',
  ls_model_type: 'model_type',
} as const

function concise(given: JsonObject): JsonObject {
  const entries = Object.entries(ABOUT).flatMap(([from, to]): [string, JsonValue][] =>
    typeof given[from] === 'string' ? [[to, given[from]]] : [],
  )
  return Object.fromEntries(entries)
}

/** Adds usage: providers report it once or in parts. */
function addUsage(
  sum: JsonObject | undefined,
  more: JsonValue | undefined,
): JsonObject | undefined {
  if (!isObject(more)) return sum
  const total: JsonObject = { ...sum }
  for (const [key, told] of Object.entries(more)) {
    const value = plainNumber(told)
    if (typeof value === 'number') total[key] = Number(total[key] ?? 0) + value
    else total[key] = addUsage(total[key] as JsonObject | undefined, value) ?? value
  }
  return total
}

const REASONS: Readonly<Record<string, string>> = {
  length: 'length',
  max_tokens: 'length',
  tool_calls: 'tool_use',
  tool_use: 'tool_use',
  function_call: 'tool_use',
  content_filter: 'content_filter',
  refusal: 'content_filter',
  safety: 'content_filter',
}

function reasonOf(metadata: JsonObject, hasCalls: boolean): string {
  const said = metadata.finish_reason ?? metadata.stop_reason ?? metadata.finishReason
  return REASONS[String(said).toLowerCase()] ?? (hasCalls ? 'tool_use' : 'stop')
}
