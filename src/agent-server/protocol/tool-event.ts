/** Converts LangGraph's events of a tool call to the protocol's. */
import { isObject, type JsonObject, type JsonValue } from '../../core/json.ts'

/** `payload`: an emission of stream mode `tools`. */
export function toolEvent(payload: JsonObject): JsonObject {
  const { event, toolCallId, name, input, data, output, error } = payload
  const tool_call_id = String(toolCallId ?? '')
  switch (event) {
    case 'on_tool_start':
      return { event: 'tool-started', tool_call_id, tool_name: String(name), input: input ?? null }
    case 'on_tool_end':
      return { event: 'tool-finished', tool_call_id, output: output ?? null }
    case 'on_tool_error':
      return { event: 'tool-error', tool_call_id, ...describe(error ?? null) }
    default:
      return { event: 'tool-output-delta', tool_call_id, delta: textOf(data ?? null) }
  }
}

function describe(error: JsonValue): { message: string; code?: string } {
  if (!isObject(error)) {
    return { message: textOf(error) }
  }
  const { message, error: name } = error
  return {
    message: textOf(message ?? error),
    ...(typeof name === 'string' && { code: name }),
  }
}

function textOf(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
