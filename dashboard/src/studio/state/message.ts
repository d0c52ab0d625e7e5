/** A message of a state, as JSON. */
/** In a state that a user has edited, more fields may be missing than the SDK's type allows. */
export interface MessageLike {
  type: string
  content: unknown
  id?: string | null
  name?: string | null
  tool_call_id?: string
  tool_calls?: readonly { id?: string; name: string; args: unknown }[]
  usage_metadata?: { input_tokens?: number; output_tokens?: number; total_tokens?: number }
}

const TYPES = ['human', 'ai', 'tool', 'function', 'system', 'chat', 'remove']

export function isMessage(value: unknown): value is MessageLike {
  if (typeof value !== 'object' || value === null) return false
  const { type, content } = value as Record<string, unknown>
  return typeof type === 'string' && TYPES.includes(type) && content !== undefined
}
