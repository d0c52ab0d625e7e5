/** What the server uses of a compiled graph, whichever version of LangGraph compiled it. */
import type { GraphSnapshot, SnapshotConfig } from './state.ts'

/** The tag of steps that observers ignore, such as LangGraph's own nodes. */
export const HIDDEN_TAG = 'langsmith:hidden'

/** The structural part of LangGraph's `Pregel` that runs are made with. */
export interface Graph {
  /** A saver of the project's own LangGraph. */
  checkpointer?: unknown
  /** A store of the project's own LangGraph: what its nodes find as `config.store`. */
  store?: unknown
  /** The tuples or values that `options.streamMode` and `options.subgraphs` ask for. */
  stream(input: unknown, options: object): Promise<AsyncIterable<unknown>>
  /** LangChain's callback events; `options` as `stream` takes them, and a `version`. */
  streamEvents(input: unknown, options: object): AsyncIterable<unknown>
  getState(config: object, options?: { subgraphs?: boolean }): Promise<GraphSnapshot>
  /** Newest first. `options`: `filter` (metadata), `before` (a config), `limit`. */
  getStateHistory(config: object, options?: object): AsyncIterable<GraphSnapshot>
  /** Returns the config of the checkpoint that it wrote. */
  updateState(config: object, values: unknown, asNode?: string): Promise<object>
  /** The same for several steps, each of one or more updates. */
  bulkUpdateState(
    config: object,
    supersteps: { updates: { values?: unknown; asNode?: string }[] }[],
  ): Promise<SnapshotConfig>
  /** By name. */
  nodes: Record<string, unknown>
  /** By name: the state keys, and LangGraph's own. */
  channels?: Record<string, unknown>
  /** The state keys that `values` has. */
  streamChannelsAsIs: string | string[]
  /** Make its stream transformers, for each run. Older versions of LangGraph have none. */
  streamTransformers?: readonly (() => object)[]
  /** What the graph was compiled from; a graph of LangGraph's functional API has none. */
  builder?: GraphBuilder
  /** With `recurse` subgraphs of subgraphs too, under `node|node`. */
  getSubgraphsAsync?(namespace?: string, recurse?: boolean): AsyncIterable<[string, Graph]>
  /** Returns an object that can be made JSON. `options`: a config, and `xray`. */
  getGraphAsync?(options: object): Promise<object>
  getGraph(config: object): object
}

/** What a graph keeps, takes and gives. */
export interface GraphBuilder {
  /** By the names of the values. */
  _schemaDefinition?: object
  _inputDefinition?: object
  _outputDefinition?: object
  /** The schemas it was built with; `undefined` if it was built with annotations. */
  _schemaRuntimeDefinition?: unknown
  _inputRuntimeDefinition?: unknown
  _outputRuntimeDefinition?: unknown
  _configRuntimeSchema?: unknown
  /** What LangGraph knows of zod schemas beyond themselves: reducers, additions to their schema. */
  _metaRegistry?: { getExtendedChannelSchemas(schema: object, effects: object): unknown }
}

/**
 * The compiled graph of a project's export or of a factory's result: a compiled graph, a builder (it is compiled), or
 * an agent that keeps its graph in `graph`. `undefined`: none of these.
 */
export function toGraph(value: unknown): Graph | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const inner = (value as { graph?: unknown }).graph
  if (isCompiled(inner)) return inner
  if (isCompiled(value)) return value
  if (!hasMethods(value, ['compile'])) return undefined
  const compiled = (value as { compile(): unknown }).compile()
  return isCompiled(compiled) ? compiled : undefined
}

/** The keys of the zod object that the graph's context must be; `undefined`: it may be anything. */
export function contextKeysOf({ builder }: Graph): ReadonlySet<string> | undefined {
  const { shape } = (builder?._configRuntimeSchema ?? {}) as { shape?: unknown }
  return typeof shape === 'object' && shape !== null ? new Set(Object.keys(shape)) : undefined
}

/**
 * The same graph with this checkpointer and store, in place of those that the project compiled it
 * with. It is a copy: the exported graph may be part of another graph, and keeps what it was given.
 */
export function withMemory(
  graph: Graph,
  { checkpointer, store }: { checkpointer: unknown; store?: unknown },
): Graph {
  const copy = hasMethods(graph, ['withConfig'])
    ? (graph as Graph & { withConfig(config: object): Graph }).withConfig({})
    : graph
  copy.checkpointer = checkpointer
  if (store !== undefined) copy.store = store
  return copy
}

function isCompiled(value: unknown): value is Graph {
  return hasMethods(value, ['stream', 'getState', 'getStateHistory', 'updateState'])
}

function hasMethods(value: unknown, names: string[]): boolean {
  if (typeof value !== 'object' || value === null) return false
  return names.every((name) => typeof (value as Record<string, unknown>)[name] === 'function')
}
