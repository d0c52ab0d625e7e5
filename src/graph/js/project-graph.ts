/** One graph of a user's project, ready to run on the server's checkpoints. */
import type { GraphCheckpoints } from '../../core/agent/checkpoint.ts'
import type { GraphInfo } from '../../core/agent/host/description.ts'
import { AppError } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json.ts'
import type { JsGraphSpec } from '../../project/config.ts'
import { createCheckpointerClass } from './checkpoints/checkpointer.ts'
import { sendsFormOf } from './checkpoints/sends.ts'
import { contextKeysOf, type Graph, toGraph, withMemory } from './langgraph/graph.ts'
import type { LangGraph } from './modules/langgraph-package.ts'
import { describeError } from './modules/loader.ts'
import { asLaterLine } from './older-line.ts'
import { handOnOperations } from './patches/batched-store.ts'
import type { ServerConnection } from './server-connection.ts'
import { createStoreClass, isProjectStore } from './store/base-store.ts'

export interface ProjectGraph extends GraphInfo {
  /** Where it comes from. */
  spec: JsGraphSpec
  /**
   * The graph for one run, with the server's checkpointer and store. A factory is called each time with the run's
   * config, and its errors are thrown; otherwise every call returns the same graph. With `checkpoints` the graph reads
   * and writes these instead.
   */
  open(config: JsonObject, checkpoints?: GraphCheckpoints): Promise<Graph>
}

/** A graph's checkpointer and store, as objects of its own copy of LangGraph. */
interface Memory {
  langgraphVersion: string
  store: unknown
  /** Default: on the checkpoints of the server. */
  checkpointerOn: (checkpoints?: GraphCheckpoints) => unknown
}

export function createMemory(
  langgraph: LangGraph,
  langgraphVersion: string,
  server: ServerConnection,
): Memory {
  const form = sendsFormOf(langgraphVersion)
  const Checkpointer = createCheckpointerClass(langgraph.BaseCheckpointSaver, form)
  const checkpointer = new Checkpointer(server.checkpoints)
  const Store = createStoreClass(langgraph.BaseStore)
  handOnOperations(langgraph.AsyncBatchedStore, isProjectStore)
  return {
    langgraphVersion,
    store: new Store(server.items),
    checkpointerOn: (checkpoints) => (checkpoints ? new Checkpointer(checkpoints) : checkpointer),
  }
}

export function toProjectGraph(
  spec: JsGraphSpec,
  source: Source,
  { langgraphVersion, store, checkpointerOn }: Memory,
): ProjectGraph {
  const remember = (graph: Graph, checkpoints?: GraphCheckpoints) => {
    const own = withMemory(graph, { checkpointer: checkpointerOn(checkpoints), store })
    return asLaterLine(own, langgraphVersion)
  }
  const { language: _language, path: _path, file: _file, exportName: _name, ...named } = spec
  if (typeof source === 'function') {
    const open = async (config: JsonObject, checkpoints?: GraphCheckpoints) =>
      remember(asGraph(await source(config), spec, 'its factory answered'), checkpoints)
    return { ...named, spec, hasFactory: true, contextKeys: undefined, open }
  }
  const graph = remember(source)
  const open = async (_config: JsonObject, checkpoints?: GraphCheckpoints) =>
    checkpoints ? remember(source, checkpoints) : graph
  return { ...named, spec, hasFactory: false, contextKeys: contextKeysOf(source), open }
}

/** A graph, or the factory that makes one for each run. */
type Source = Graph | ((config: JsonObject) => unknown)

/**
 * Keeps a factory, awaits a promise of a graph, and compiles a builder. Throws `bad_request`, with a message that names
 * the graph, its file and what to do.
 */
export async function readSource(exported: unknown, spec: JsGraphSpec): Promise<Source> {
  if (typeof exported === 'function') return exported as (config: JsonObject) => unknown
  try {
    return asGraph(await exported, spec, 'the export is')
  } catch (cause) {
    if (cause instanceof AppError) throw cause
    throw new AppError(
      'bad_request',
      `Graph "${spec.graph_id}": "${spec.exportName}" of ${spec.path} failed: ${describeError(cause)}`,
      { cause },
    )
  }
}

function asGraph(value: unknown, spec: JsGraphSpec, how: string): Graph {
  const graph = toGraph(value)
  if (graph) return graph
  const kind = value === null ? 'null' : typeof value
  throw new AppError(
    'bad_request',
    `Graph "${spec.graph_id}": "${spec.exportName}" of ${spec.path} is no LangGraph graph: ${how} ` +
      `${kind === 'object' ? 'another object' : kind}. Export a compiled graph, a StateGraph, or ` +
      'a function that answers one.',
  )
}
