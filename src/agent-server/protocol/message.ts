/** The part of a LangChain message that is needed here, whichever copy of the library made it. */
export interface Message {
  id?: string | undefined
  content: unknown
  tool_calls?: { id?: string; name: string; args: unknown }[]
  tool_call_chunks?: { id?: string; name?: string; args?: string; index?: number }[]
  invalid_tool_calls?: { id?: string; name?: string; args?: string; error?: string }[]
  additional_kwargs?: Record<string, unknown>
  response_metadata?: Record<string, unknown>
  usage_metadata?: Record<string, unknown>
  /** Chunks only. */
  concat?(next: never): unknown
  getType?(): string
  _getType(): string
}
