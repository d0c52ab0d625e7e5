/**
 * When models are done with their messages. LangGraph streams the pieces of a message and does not
 * say which is the last; LangChain's callbacks do.
 */
import type { ModelEnd } from '../../../core/agent/host/emission.ts'

/** What is learned of a model's call. */
interface ModelCallListener {
  /** The message is written, or will not be written to its end. */
  onEnd(end: ModelEnd): void
  /** This object, though it may look like a piece, is all of its message. */
  onWhole(message: object): void
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
export function modelCallHandler(listener: ModelCallListener): object {
  const calls = new Map<string, Call>()
  const idOf = (run_id: string, call: Call) => call.piece?.id ?? `run-${run_id}`
  return {
    name: 'runyard_model_calls',
    awaitHandlers: true,
    ignoreChain: true,
    ignoreAgent: true,
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
