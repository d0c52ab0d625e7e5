/** A call of a tool: a run of its assistant on a thread of its own, to the end or to a question. */
import { type CallToolResult, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import type { Caller } from '../../core/agent/authorization.ts'
import { isEnd, type RunEnd } from '../../core/agent/event.ts'
import type { QueuedRun } from '../../core/agent/run.ts'
import { parseJson } from '../../core/exact-json.ts'
import type { JsonObject, JsonValue } from '../../core/json.ts'
import { JsonObjectSchema } from '../operations/json.ts'
import type { Parts } from '../parts.ts'
import { cancelLeft } from '../runs/cancel.ts'
import { type CreationParts, createRun } from '../runs/create.ts'
import type { RunId } from '../runs/read.ts'
import { runRequest } from '../runs/request.ts'
import { listTools, type NamedTool, splitArguments } from './tools.ts'

interface ToolCall {
  name: string
  arguments: unknown
  /** Ends the run when it aborts, because the client has left or cancelled the call. */
  signal: AbortSignal
  /** Hears of each step of the graph: the names of the nodes that took it. */
  onStep: (nodes: string) => void
}

/** What calling a tool needs: it is a run. */
export type CallParts = CreationParts & Pick<Parts, 'log'>

/**
 * Answers the values that the run leaves, as JSON text and as structured content. A run that failed,
 * was cancelled or stopped to ask something is an answer with `isError`. In the last case its thread is kept, and the
 * answer names it. Throws `ProtocolError` for a tool
 * that is not there and for arguments that are no object, `AppError` as `createRun` does.
 */
export async function callTool(
  parts: CallParts,
  caller: Caller,
  call: ToolCall,
): Promise<CallToolResult> {
  const { assistant } = await findTool(parts, caller, call.name)
  const args = readArguments(call.arguments)
  const { assistant_id } = assistant
  const given = await splitArguments(parts, caller, assistant, args)
  const request = {
    ...runRequest({ assistant_id, ...given, stream_mode: 'updates' }),
    on_completion: 'keep_waiting' as const,
  }
  const run = await createRun(parts, caller, null, request)
  try {
    return toResult(await followToEnd(parts, run, call), run)
  } finally {
    if (call.signal.aborted) await cancelLeft(parts, caller, run)
  }
}

async function findTool(
  parts: Pick<Parts, 'store' | 'host' | 'authorize'>,
  caller: Caller,
  name: string,
): Promise<NamedTool> {
  const tool = (await listTools(parts, caller)).find((one) => one.name === name)
  if (tool) return tool
  throw new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `There is no tool "${name}"; tools/list names them.`,
  )
}

function readArguments(args: unknown): JsonObject {
  const read = JsonObjectSchema.safeParse(args ?? {})
  if (read.success) return read.data
  const message = read.error.issues[0]?.message
  throw new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `The arguments do not validate: ${message}`,
  )
}

async function followToEnd(
  parts: Pick<Parts, 'events'>,
  { run_id }: RunId,
  call: ToolCall,
): Promise<RunEnd> {
  const from = { after: -1, signal: call.signal }
  for await (const event of parts.events.follow(run_id, from)) {
    if (isEnd(event)) return parseJson(event.data)
    if (event.event === 'updates') call.onStep(Object.keys(parseJson(event.data)).join(', '))
  }
  throw new ProtocolError(ProtocolErrorCode.InternalError, `Run ${run_id} has no end.`)
}

function toResult({ status, error, values, next }: RunEnd, run: QueuedRun): CallToolResult {
  if (error) return failed(`${error.error}: ${error.message}`)
  if (status !== 'success') return failed(`The run was ended before its time (${status}).`)
  const content = { type: 'text' as const, text: JSON.stringify(values ?? {}) }
  const answer = { content: [content], structuredContent: values ?? {} }
  if (!next) return answer
  const asked = (values?.__interrupt__ ?? []) as JsonValue[]
  const text = waitingText(run, next, asked.length > 0)
  const _meta = { [THREAD_KEY]: run.thread_id }
  return { ...answer, content: [{ type: 'text', text }, content], isError: true, _meta }
}

/** In `_meta`, for programs: the thread that waits. */
const THREAD_KEY = 'runyard/thread_id'

function waitingText({ thread_id, assistant_id }: QueuedRun, next: string[], isAsking: boolean) {
  const nodes = next.map((node) => `"${node}"`).join(', ')
  const why = isAsking
    ? 'to ask something; its question is in __interrupt__'
    : `at a breakpoint before ${nodes}`
  const how = isAsking ? '"command":{"resume":ANSWER}' : '"input":null'
  return (
    `The agent stopped ${why}. Thread ${thread_id} waits, and this tool cannot resume it. To do so, send ` +
    `{"assistant_id":"${assistant_id}",${how}} to POST /threads/${thread_id}/runs/wait of this server.`
  )
}

function failed(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true }
}
