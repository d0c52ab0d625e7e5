/** Converts a message, or a piece of one, to the protocol's content blocks. */
import { parseJson } from '../../core/exact-json.ts'
import { isObject, type JsonObject, type JsonValue } from '../../core/json.ts'

/** A message, or a piece of one, as graph hosts report it. */
export interface Message {
  id?: string
  type: string
  content: JsonValue
  tool_calls?: { id?: string; name: string; args: JsonValue }[]
  tool_call_chunks?: { id?: string; name?: string; args?: string; index?: number }[]
  invalid_tool_calls?: { id?: string; name?: string; args?: string; error?: string }[]
  additional_kwargs?: JsonObject
  response_metadata?: JsonObject
  usage_metadata?: JsonObject
}

/** Part of a content block. */
export interface Piece {
  /** The same for all parts of one block. */
  key: string
  /** The block before any addition. */
  start: JsonObject
  /** Whether the piece adds nothing to the block's start. */
  isEmpty: boolean
  /** The block with the addition, and the delta; `older`: the same for clients that do not know the delta. */
  grow(block: JsonObject): { content: JsonObject; delta: JsonObject; older?: JsonObject }
}

export function piecesOf(message: Message): Piece[] {
  return [...reasoningOf(message), ...contentOf(message), ...callsOf(message)]
}

/** The block in its finished form. */
export function finalBlock(block: JsonObject): JsonObject {
  if (block.type !== 'tool_call_chunk') return block
  const { id = null, name = null, args } = block
  const parsed = parseArgs(String(args))
  if (parsed && name !== null) return { type: 'tool_call', id, name, args: parsed }
  const error = name === null ? 'The call names no tool.' : 'The arguments are not a JSON object.'
  return { type: 'invalid_tool_call', id, name, args: args ?? null, error }
}

function parseArgs(text: string): JsonObject | undefined {
  if (text === '') return {}
  try {
    const value = parseJson(text) as JsonValue
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Providers without a reasoning block put the reasoning beside the content. */
function reasoningOf({ additional_kwargs }: Message): Piece[] {
  const text = additional_kwargs?.reasoning_content
  return typeof text === 'string' && text !== '' ? [textual('reasoning', text)] : []
}

function contentOf(message: Message): Piece[] {
  const { content } = message
  if (typeof content === 'string') return content === '' ? [] : [textual('text', content)]
  if (!Array.isArray(content)) return []
  return content.flatMap((block, place) => {
    if (typeof block === 'string') return [textual('text', block)]
    if (!isObject(block)) return []
    return blockPiece(block, String(block.index ?? place))
  })
}

/** Skipped: `tool_calls` has the content's tool calls too, in one form for all providers. */
const CALL_BLOCKS = ['tool_use', 'input_json_delta', 'tool_call', 'tool_call_chunk', 'functionCall']

function blockPiece(block: JsonObject, place: string): Piece[] {
  const { type } = block
  if (CALL_BLOCKS.includes(String(type))) return []
  if (type === 'text') return [textual('text', String(block.text ?? ''), place, block)]
  if (type === 'reasoning' || type === 'thinking') {
    const text = String(block.reasoning ?? block.thinking ?? '')
    return [textual('reasoning', text, place)]
  }
  return [dataPiece(standard(block), place)]
}

/** A text or reasoning. Its start includes the annotations of the provider's block. */
function textual(
  type: 'text' | 'reasoning',
  text: string,
  place = '0',
  { annotations }: JsonObject = {},
): Piece {
  return {
    key: `${type}:${place}`,
    start: { type, [type]: '', ...(annotations !== undefined && { annotations }) },
    isEmpty: text === '',
    grow: (block) => ({
      content: { ...block, [type]: `${block[type]}${text}` },
      delta: { type: `${type}-delta`, [type]: text },
    }),
  }
}

const DATA_BLOCKS = ['image', 'audio', 'video', 'file']
const OTHER_BLOCKS = [
  'server_tool_call',
  'server_tool_call_chunk',
  'server_tool_call_result',
  'non_standard',
]

/** Converts providers' forms to the protocol's. */
function standard(block: JsonObject): JsonObject {
  const { type } = block
  if (DATA_BLOCKS.includes(String(type))) return mediaBlock(block)
  if (OTHER_BLOCKS.includes(String(type))) return block
  if (type === 'image_url') {
    const { image_url: image } = block
    const url = typeof image === 'string' ? image : ((image as JsonObject | null)?.url ?? null)
    return { type: 'image', url }
  }
  if (type === 'input_audio') {
    const { data, format } = (block.input_audio ?? {}) as JsonObject
    return { type: 'audio', base64: data ?? '', mime_type: `audio/${format ?? 'wav'}` }
  }
  return { type: 'non_standard', value: block }
}

function mediaBlock({ mimeType, data, source_type, index, ...block }: JsonObject): JsonObject {
  return {
    ...block,
    ...(mimeType !== undefined && { mime_type: mimeType }),
    ...(typeof data === 'string' && { base64: data }),
  }
}

/** Base64 data is appended; other fields are replaced by later ones. */
function dataPiece(block: JsonObject, place: string): Piece {
  const { base64, ...rest } = block
  const isStream = typeof base64 === 'string'
  return {
    key: `${block.type}:${place}`,
    start: isStream ? { ...rest, base64: '' } : block,
    isEmpty: !isStream || base64 === '',
    grow: (before) => ({
      content: isStream
        ? { ...before, base64: `${before.base64 ?? ''}${base64}` }
        : { ...before, ...block },
      delta: isStream
        ? { type: 'data-delta', data: base64, encoding: 'base64' }
        : { type: 'block-delta', fields: block },
    }),
  }
}

function callsOf({ tool_call_chunks: chunks, tool_calls, invalid_tool_calls }: Message): Piece[] {
  if (chunks) return chunks.map((chunk, i) => callPiece(chunk, String(chunk.index ?? i)))
  const whole = (tool_calls ?? []).map(({ args, ...call }) => ({
    ...call,
    args: JSON.stringify(args),
  }))
  return [...whole, ...(invalid_tool_calls ?? [])].map((call, i) => callPiece(call, String(i)))
}

function callPiece(call: { id?: string; name?: string; args?: string }, place: string): Piece {
  const { id, name, args = '' } = call
  const named = { ...(id && { id }), ...(name && { name }) }
  return {
    key: `tool_call:${place}`,
    start: { type: 'tool_call_chunk', id: id ?? null, name: name ?? null, args: '' },
    isEmpty: args === '',
    grow: (block) => ({
      content: { ...block, ...named, args: `${block.args}${args}` },
      delta: { type: 'tool-call-delta', args },
      older: { type: 'tool_call_chunk', ...named, args },
    }),
  }
}
