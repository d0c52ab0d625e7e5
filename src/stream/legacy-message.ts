/**
 * Shows messages of a protocol run in stream mode `messages-tuple` of the legacy streams: `[piece,
 * metadata]`. A tool call is shown once it is complete.
 */
import type { JsonObject } from '../core/json.ts'

/** What the protocol says about a message. */
export interface MessageParams {
  namespace: string[]
  node?: string | undefined
  data: JsonObject
}

/** `undefined`: the legacy streams show nothing of it. */
export function legacyMessage({
  namespace,
  node,
  data,
}: MessageParams): [piece: JsonObject, metadata: JsonObject] | undefined {
  const fields = fieldsOf(data)
  if (!fields) return undefined
  const empty = { content: '', additional_kwargs: {}, response_metadata: {}, tool_calls: [] }
  const piece = { ...empty, invalid_tool_calls: [], tool_call_chunks: [], ...fields }
  const about = { langgraph_checkpoint_ns: namespace.join('|') }
  return [
    { ...piece, id: data.run_id ?? null, type: 'ai' },
    { ...(node !== undefined && { langgraph_node: node }), ...about },
  ]
}

function fieldsOf(data: JsonObject): JsonObject | undefined {
  switch (data.event) {
    case 'content-block-delta':
      return deltaFields(data.delta as JsonObject)
    case 'content-block-finish':
      return blockFields(data.content as JsonObject, data.index as number)
    case 'message-finish':
      return data.usage === undefined ? undefined : { usage_metadata: data.usage }
    default:
      return undefined
  }
}

function deltaFields({ type, text, reasoning }: JsonObject): JsonObject | undefined {
  if (type === 'text-delta') return { content: text ?? '' }
  if (type !== 'reasoning-delta') return undefined
  return { additional_kwargs: { reasoning_content: reasoning ?? '' } }
}

function blockFields(block: JsonObject, index: number): JsonObject | undefined {
  const { type, id = null, name = null, args = null } = block
  if (type === 'text' || type === 'reasoning') return undefined
  if (type !== 'tool_call' && type !== 'invalid_tool_call') return { content: [block] }
  const text = typeof args === 'string' ? args : JSON.stringify(args)
  const chunk = { type: 'tool_call_chunk', id, name, args: text, index }
  const list = type === 'tool_call' ? 'tool_calls' : 'invalid_tool_calls'
  return { [list]: [block], tool_call_chunks: [chunk] }
}
