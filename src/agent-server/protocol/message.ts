/** A message, or a piece of one, as graph hosts report it. */
import type { JsonObject, JsonValue } from '../../core/json.ts'

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
