/**
 * Takes from LangChain's callbacks what LangGraph's stream leaves out: which piece of a message is the last, and, since
 * LangGraph 1.7, which node calls a tool.
 */
import type { ModelEnd } from '../../../core/agent/host/emission.ts'
import type { ToolArguments } from './spans.ts'

/** Receives events of model and tool calls. */
interface CallListener {
  /** The message is complete, or will stay incomplete. */
  onEnd(end: ModelEnd): void
  /** This object is a whole message, though it may look like a piece. */
  onWhole(message: object): void
  /** A tool is called, with these metadata. */
  onTool(
    call: { toolCallId?: string | undefined; name?: string | undefined },
    metadata: object,
  ): void
}

interface Call {
  /** The last piece; LangGraph gives it its id. */
  piece: { id?: string } | undefined
  pieces: number
}

interface LastGeneration {
  generations?: { message?: object }[][]
}

/** A callback handler, as LangChain's configs take it. */
export function callHandler(listener: CallListener): object {
  const calls = new Map<string, Call>()
  const idOf = (run_id: string, call: Call) => call.piece?.id ?? `run-${run_id}`
  return {
    name: 'runyard_calls',
    awaitHandlers: true,
    ignoreChain: true,
    ignoreRetriever: true,
    handleLLMNewToken(...[, , run_id, , , fields]: TokenArguments): void {
      const call = calls.get(run_id) ?? { piece: undefined, pieces: 0 }
      calls.set(run_id, { piece: fields?.chunk?.message, pieces: call.pieces + 1 })
    },
    handleLLMEnd(output: LastGeneration, run_id: string): void {
      const call = calls.get(run_id)
      calls.delete(run_id)
      const whole = output.generations?.[0]?.[0]?.message
      if (call) listener.onEnd({ id: idOf(run_id, call), pieces: call.pieces })
      else if (whole) listener.onWhole(whole)
    },
    handleLLMError(error: unknown, run_id: string): void {
      const call = calls.get(run_id)
      calls.delete(run_id)
      if (call) listener.onEnd({ id: idOf(run_id, call), failure: failureOf(error) })
    },
    handleToolStart(...[, , , , , metadata, name, toolCallId]: ToolArguments): void {
      listener.onTool({ toolCallId, name }, metadata ?? {})
    },
  }
}

type TokenArguments = [
  token: string,
  idx: unknown,
  run_id: string,
  parent_run_id?: string,
  tags?: string[],
  fields?: { chunk?: { message?: { id?: string } } },
]

function failureOf(thrown: unknown): { error: string; message: string } {
  const { name, message } = thrown instanceof Error ? thrown : new Error(String(thrown))
  return { error: name, message }
}
