/** Calls a tool: runs its assistant on a new thread, until the run ends or stops at an interrupt. */
import { type CallToolResult, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import type { Caller } from '../../core/agent/authorization.ts'
import { isEnd, type RunEnd } from '../../core/agent/event.ts'
import type { QueuedRun } from '../../core/agent/run.ts'
import { parseJson } from '../../core/exact-json.ts'
import type { JsonObject, JsonValue } from '../../core/json.ts'
import type { Parts } from '../agent-server-parts.ts'
import { JsonObjectSchema } from '../operations/json.ts'
import { cancelLeft } from '../runs/cancel.ts'
import { createRun } from '../runs/run-creation.ts'
import { runRequest } from '../runs/run-request.ts'
import type { RunId } from '../runs/runs.ts'
import { listTools, type NamedTool, splitArguments } from './tools.ts'

interface ToolCall {
  name: string
  arguments: unknown
  /** Aborts when the client leaves or cancels the call; the run then ends. */
  signal: AbortSignal
  /** Called after each step of the graph, with the names of its nodes. */
  onStep: (nodes: string) => void
}

/**
 * Returns the run's final values, as JSON text and as structured content. The result has `isError` if the run failed,
 * was cancelled or stopped at an interrupt or breakpoint. In the last case its thread is kept, and the result names it.
 * Throws `ProtocolError` for an unknown tool and for arguments that are not an object, `AppError` like `createRun`.
 */
export async function callTool(
  parts: Parts,
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

async function findTool(parts: Parts, caller: Caller, name: string): Promise<NamedTool> {
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

async function followToEnd(parts: Parts, { run_id }: RunId, call: ToolCall): Promise<RunEnd> {
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

/** Key in `_meta` with the id of the waiting thread, for programs. */
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
