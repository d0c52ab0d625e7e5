/** What a graph emits while it runs, whichever way it has to be asked. */
import type { StreamMode } from '../../core/agent/stream-mode.ts'
import type { Graph } from '../../graph/js/langgraph/graph.ts'

export interface Emission {
  /** Of the subgraph that emitted it, each part `node:task`; empty for the graph itself. */
  namespace: string[]
  /** LangGraph's own stream mode, or `events`. */
  mode: string
  payload: unknown
}

/** The structural part of a LangChain v2 callback event. */
interface CallbackEvent {
  event: string
  run_id: string
  tags?: string[]
  data?: { chunk?: unknown }
}

/** What LangChain marks so is of no interest to anybody. */
const HIDDEN_TAG = 'langsmith:hidden'

/**
 * Starts the graph. `options` are those of LangGraph's `stream`, with a list as `streamMode`. For
 * `events` the graph is asked for its callbacks, among which are the chunks of its stream: so it runs
 * once, whatever else was asked for.
 */
export async function openStream(
  graph: Graph,
  input: unknown,
  options: { runId: string },
  modes: readonly StreamMode[],
): Promise<AsyncIterable<Emission>> {
  if (!modes.includes('events')) return fromChunks(await graph.stream(input, options))
  return fromEvents(graph.streamEvents(input, { ...options, version: 'v2' }), options.runId)
}

async function* fromChunks(chunks: AsyncIterable<unknown>): AsyncIterable<Emission> {
  for await (const chunk of chunks) yield toEmission(chunk)
}

async function* fromEvents(
  events: AsyncIterable<unknown>,
  run_id: string,
): AsyncIterable<Emission> {
  for await (const one of events) {
    const event = one as CallbackEvent
    if (event.tags?.includes(HIDDEN_TAG)) continue
    const isChunk = event.event === 'on_chain_stream' && event.run_id === run_id
    if (isChunk) yield toEmission(event.data?.chunk)
    else yield { namespace: [], mode: 'events', payload: event }
  }
}

/** `[mode, payload]`, or with subgraphs `[namespace, mode, payload]`, behind which more may come. */
function toEmission(chunk: unknown): Emission {
  const parts = chunk as unknown[]
  const [namespace, mode, payload] = Array.isArray(parts[0]) ? parts : [[], ...parts]
  return { namespace: namespace as string[], mode: mode as string, payload }
}
