/** What a graph emits while it runs, whichever way it has to be asked. */
import type { HostMode } from '../../../core/agent/host/run.ts'
import type { Graph } from '../langgraph/graph.ts'

/** As LangGraph's own objects have it. */
export interface GraphChunk {
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

/** The part of LangGraph's options that is looked at here. */
interface Options {
  runId: string
  configurable?: object
  metadata?: object
}

/**
 * Starts the graph; each item goes to `toChunk`. `options` are those of LangGraph's `stream`, with a list as
 * `streamMode`. For `events` the graph is asked for its callbacks, among which are the chunks of its stream:
 * so it runs once, whatever else was asked for.
 */
export async function openStream(
  graph: Graph,
  input: unknown,
  options: Options,
  modes: readonly HostMode[],
): Promise<AsyncIterable<unknown>> {
  if (!modes.includes('events')) return chunksOf(graph, input, options)
  return fromEvents(graph.streamEvents(input, { ...options, version: 'v2' }), options.runId)
}

/** What LangChain's `stream` takes its chunks from, as LangGraph has it. */
interface Streaming extends Graph {
  config?: { recursionLimit?: number }
  _streamIterator(input: unknown, options: object): AsyncIterable<unknown>
}

/**
 * What LangChain's `stream` puts around the graph's chunks looks for callbacks again at each of them, and passes it
 * through two more streams: a quarter of the processor time of a run that tells much. A graph whose `stream` is
 * not LangGraph's own, and one of an older line, is asked for that.
 */
function chunksOf(
  graph: Graph,
  input: unknown,
  options: Options,
): AsyncIterable<unknown> | Promise<AsyncIterable<unknown>> {
  if (!isStreaming(graph)) return graph.stream(input, options)
  const recursionLimit = graph.config?.recursionLimit
  return graph._streamIterator(input, { recursionLimit, ...withModel(options) })
}

/** Whether `stream` is of the class that makes the chunks too. */
function isStreaming(graph: Graph): graph is Streaming {
  const owner = ownerOf(graph, '_streamIterator')
  return owner !== undefined && owner === ownerOf(graph, 'stream')
}

function ownerOf(object: object, name: string): object | undefined {
  let owner: object | null = object
  while (owner && !Object.hasOwn(owner, name)) owner = Object.getPrototypeOf(owner)
  return owner ?? undefined
}

/** As LangChain's `stream` does, it tells in the metadata which model the run is configured with. */
function withModel(options: Options): Options {
  const configurable: { model?: unknown } = { ...options.configurable }
  const metadata: { model?: unknown } = { ...options.metadata }
  const { model } = configurable
  if (typeof model !== 'string' || metadata.model !== undefined) return options
  return { ...options, metadata: { ...metadata, model } }
}

/**
 * What the item tells: it is one already, or `[mode, payload]`, or with subgraphs `[namespace, mode, payload]`,
 * behind which more may come.
 */
export function toChunk(item: unknown): GraphChunk {
  if (!Array.isArray(item)) return item as GraphChunk
  const [namespace, mode, payload] = Array.isArray(item[0]) ? item : [[], ...item]
  return { namespace: namespace as string[], mode: mode as string, payload }
}

async function* fromEvents(events: AsyncIterable<unknown>, run_id: string): AsyncIterable<unknown> {
  for await (const one of events) {
    const event = one as CallbackEvent
    if (event.tags?.includes(HIDDEN_TAG)) continue
    const isChunk = event.event === 'on_chain_stream' && event.run_id === run_id
    yield isChunk ? event.data?.chunk : { namespace: [], mode: 'events', payload: event }
  }
}
