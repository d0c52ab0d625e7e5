/** The options of a graph's stream, and what it emits while it runs: from its stream or from its callback events. */
import type { GraphRunRequest, HostMode } from '../../../core/agent/host/run.ts'
import type { RunCommand } from '../../../core/agent/run.ts'
import type { TaskFailures } from '../checkpoints/config.ts'
import { type Graph, HIDDEN_TAG } from '../langgraph/graph.ts'

/** A chunk, with LangGraph's own objects. */
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

/** The part of LangGraph's options that is read here. */
interface Options {
  runId: string
  configurable?: object
  metadata?: object
}

/**
 * Starts the graph; each item goes to `toChunk`. `options` are those of LangGraph's `stream`, with a list as
 * `streamMode`. For `events` it reads the graph's callback events, which include the chunks of its stream: so the graph
 * runs once, whatever else was requested.
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

/** LangGraph's source of the chunks that LangChain's `stream` yields. */
interface Streaming extends Graph {
  config?: { recursionLimit?: number }
  _streamIterator(input: unknown, options: object): AsyncIterable<unknown>
}

/**
 * Bypasses LangChain's `stream`, which looks for callbacks again at each chunk, and passes it through two more streams:
 * a quarter of the processor time of a run that emits much. A graph whose `stream` is not LangGraph's own, or that is
 * of an older line, still runs through its `stream`.
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

/** Whether the class that makes the chunks also defines `stream`. */
function isStreaming(graph: Graph): graph is Streaming {
  const owner = ownerOf(graph, '_streamIterator')
  return owner !== undefined && owner === ownerOf(graph, 'stream')
}

function ownerOf(object: object, name: string): object | undefined {
  let owner: object | null = object
  while (owner && !Object.hasOwn(owner, name)) owner = Object.getPrototypeOf(owner)
  return owner ?? undefined
}

/** Adds the run's configured model to the metadata, as LangChain's `stream` does. */
function withModel(options: Options): Options {
  const configurable: { model?: unknown } = { ...options.configurable }
  const metadata: { model?: unknown } = { ...options.metadata }
  const { model } = configurable
  if (typeof model !== 'string' || metadata.model !== undefined) return options
  return { ...options, metadata: { ...metadata, model } }
}

/**
 * Reads an item: a chunk already, or `[mode, payload]`, or with subgraphs `[namespace, mode, payload]`, behind which
 * more may come.
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

/**
 * The chunk, with the `error` of the task whose result it reports; LangGraph reports a failed task as one without a
 * result. With durability "exit" no error is known: tasks store nothing then.
 */
export function withFailure(told: GraphChunk, failures: TaskFailures): GraphChunk {
  const { mode, payload } = told
  if (failures.size === 0 || (mode !== 'tasks' && mode !== 'debug')) return told
  if (mode === 'tasks') return { ...told, payload: failed(payload, failures) }
  const debug = payload as { type: string; payload: unknown }
  if (debug.type !== 'task_result') return told
  return { ...told, payload: { ...debug, payload: failed(debug.payload, failures) } }
}

function failed(payload: unknown, failures: TaskFailures): unknown {
  const task = payload as { id: string; result?: unknown }
  const error = 'result' in task ? failures.get(task.id) : undefined
  return error === undefined ? task : { ...task, error }
}

/** The options of LangGraph's `stream` for a run, used together with the config that the graph was opened with. */
export function streamOptions(
  request: GraphRunRequest,
  signal: AbortSignal,
): { runId: string; [option: string]: unknown } {
  const { run_id, modes, interrupt_before, interrupt_after, durability } = request
  const streamMode = [...new Set(modes.flatMap((mode) => GRAPH_MODES[mode]))]
  return {
    runId: run_id,
    signal,
    streamMode,
    subgraphs: request.subgraphs || modes.includes('lifecycle'),
    // With a version, LangGraph emits checkpoints beside the values.
    ...(modes.includes('places') && { version: 'v2' }),
    ...(interrupt_before && { interruptBefore: interrupt_before }),
    ...(interrupt_after && { interruptAfter: interrupt_after }),
    ...(durability && { durability }),
    context: request.context,
    ...(!streamMode.includes('custom') && { writer: ignoreCustom }),
  }
}

/**
 * Does what LangGraph's own writer does if `custom` was not requested. LangGraph assigns its own to a property, which
 * keeps the whole run alive through the short garbage collections (`js/patches/promise-race.ts`).
 */
function ignoreCustom(): void {}

/**
 * LangGraph's modes for the port's. `messages` needs the values too: they show which messages are complete. `lifecycle`
 * needs the tasks: a subgraph begins with its first. `events` are no mode of LangGraph: its callbacks supply them.
 */
const GRAPH_MODES: Readonly<Record<HostMode, readonly string[]>> = {
  values: ['values'],
  updates: ['updates'],
  custom: ['custom'],
  debug: ['debug'],
  tasks: ['tasks'],
  checkpoints: ['checkpoints'],
  tools: ['tools'],
  events: [],
  messages: ['messages', 'values'],
  'messages-tuple': ['messages'],
  lifecycle: ['tasks'],
  places: [],
  model_ends: [],
  transformers: [],
}

/**
 * The command; the answer gets its question's id if needed and exactly one question is open. `config`: the run's.
 * LangGraph for JavaScript treats an answer of `false`, `0` or `''` as missing, and fails the run for its empty input.
 * It accepts the same answer under the id of its question; LangGraph for Python accepts it without.
 */
export async function withNamedAnswer(
  graph: Pick<Graph, 'getState'>,
  command: RunCommand,
  config: object,
): Promise<RunCommand> {
  const { resume } = command
  if (resume !== false && resume !== 0 && resume !== '') return command
  const { tasks } = await graph.getState(config)
  const [open, ...others] = tasks.flatMap(({ interrupts = [] }) => interrupts)
  return open?.id === undefined || others.length > 0
    ? command
    : { ...command, resume: { [open.id]: resume } }
}
