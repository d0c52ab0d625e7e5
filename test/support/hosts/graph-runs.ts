/** Runs of a loaded graph without a server around it, as the executor makes them. */
import type { JsonObject, JsonValue } from '../../../src/core/json.ts'
import type { Graph } from '../../../src/graph/js/langgraph/graph.ts'
import { toThreadState } from '../../../src/graph/js/langgraph/state.ts'
import { toWire } from '../../../src/graph/js/langgraph/wire.ts'

interface RunOptions {
  configurable: Record<string, unknown>
  streamMode?: string | string[]
  subgraphs?: boolean
  durability?: 'sync' | 'async' | 'exit'
}

/** Everything that the run streams, as clients see it. */
export async function streamRun(
  graph: Graph,
  input: unknown,
  options: RunOptions,
): Promise<JsonValue[]> {
  const seen: JsonValue[] = []
  for await (const emission of await graph.stream(input, { streamMode: 'values', ...options })) {
    seen.push(toWire(emission))
  }
  return seen
}

/** The last values of the run. */
export async function finishRun(
  graph: Graph,
  input: unknown,
  configurable: Record<string, unknown>,
  options: Omit<RunOptions, 'configurable'> = {},
): Promise<JsonObject> {
  const seen = await streamRun(graph, input, { ...options, configurable })
  return seen.at(-1) as JsonObject
}

/** The thread's state at its last checkpoint. */
export async function readState(graph: Graph, thread_id: string, subgraphs = false) {
  return toThreadState(await graph.getState({ configurable: { thread_id } }, { subgraphs }))
}
