/** A user's project, loaded: its graphs, ready to run on the server's checkpoints. */
import type { GraphCheckpoints } from '../core/checkpoint.ts'
import { AppError } from '../core/errors.ts'
import type { JsonObject } from '../core/json.ts'
import type { Log } from '../core/log.ts'
import type { RunCommand } from '../core/run.ts'
import { createCheckpointerClass } from './checkpointer.ts'
import { toCommand } from './command.ts'
import { type GraphSpec, type ProjectConfig, readProjectConfig } from './config-file.ts'
import { type Graph, toGraph, withCheckpointer } from './graph.ts'
import { checkLangGraph, type LangGraph, loadLangGraph } from './langgraph-package.ts'
import { importFile, installHooks } from './module-loader.ts'

export interface Project {
  /** The folder of `langgraph.json`, links resolved. */
  root: string
  config: ProjectConfig
  /** By `graph_id`, in the order of `langgraph.json`. */
  graphs: Map<string, ProjectGraph>
  /** A run's `command` as the input of `Graph.stream`. */
  command(command: RunCommand): unknown
}

export interface ProjectGraph {
  graph_id: string
  description: string | null
  /** Where it comes from. */
  spec: GraphSpec
  /**
   * The graph for one run, with the server's checkpointer. Where the project exports a factory it
   * is called with the run's config each time, and what it throws is thrown; else every call
   * answers the same graph. With `checkpoints` it reads and writes these instead.
   */
  open(config: JsonObject, checkpoints?: GraphCheckpoints): Promise<Graph>
}

/**
 * Imports every graph of the project. The variables of `GRAPH_ENVIRONMENT` and of the project's own
 * `env` must be set before. Throws `bad_request`, with a message that names the graph, its file and
 * what to do.
 */
export async function loadProject(
  configPath: string,
  { checkpoints, log }: { checkpoints: GraphCheckpoints; log: Log },
): Promise<Project> {
  const config = await readProjectConfig(configPath)
  await installHooks(config.root)
  const graphs = new Map<string, ProjectGraph>()
  let langgraph: LangGraph | undefined
  for (const spec of config.graphs) {
    await checkLangGraph(spec.file)
    const source = await readSource(pickExport(await importModule(spec), spec), spec)
    const own = await loadLangGraph(spec.file)
    langgraph ??= own
    const Checkpointer = createCheckpointerClass(own.BaseCheckpointSaver)
    const checkpointerOn = (store: GraphCheckpoints) => new Checkpointer(store)
    graphs.set(spec.graph_id, toProjectGraph(spec, source, { checkpoints, checkpointerOn }))
    log.debug({ graph_id: spec.graph_id, file: spec.path }, 'Loaded a graph.')
  }
  return {
    root: config.root,
    config,
    graphs,
    command: (command) => toCommand(langgraph as LangGraph, command),
  }
}

async function importModule(spec: GraphSpec): Promise<Record<string, unknown>> {
  try {
    return await importFile(spec.file)
  } catch (cause) {
    throw new AppError(
      'bad_request',
      `Graph "${spec.graph_id}": ${spec.path} could not be loaded: ${describeError(cause)}`,
      { cause },
    )
  }
}

function pickExport(exports: Record<string, unknown>, spec: GraphSpec): unknown {
  const { exportName } = spec
  if (exports[exportName] !== undefined) return exports[exportName]
  const names = Object.keys(exports).filter((name) => name !== 'module.exports')
  const found = names.length > 0 ? `it exports ${names.join(', ')}` : 'it exports nothing'
  throw new AppError(
    'bad_request',
    `Graph "${spec.graph_id}": ${spec.path} has no export "${exportName}"; ${found}.`,
  )
}

/** A graph, or what makes one for each run. */
type Source = Graph | ((config: JsonObject) => unknown)

/** A graph that is no factory is awaited when it is a promise, and compiled when it is a builder. */
async function readSource(exported: unknown, spec: GraphSpec): Promise<Source> {
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

interface Checkpointers {
  /** The server's own. */
  checkpoints: GraphCheckpoints
  checkpointerOn: (store: GraphCheckpoints) => unknown
}

function toProjectGraph(
  spec: GraphSpec,
  source: Source,
  { checkpoints, checkpointerOn }: Checkpointers,
): ProjectGraph {
  const checkpointer = checkpointerOn(checkpoints)
  const pick = (store?: GraphCheckpoints) => (store ? checkpointerOn(store) : checkpointer)
  const named = { graph_id: spec.graph_id, description: spec.description, spec }
  if (typeof source === 'function') {
    const open = async (config: JsonObject, store?: GraphCheckpoints) => {
      const made = asGraph(await source(config), spec, 'its factory answered')
      return withCheckpointer(made, pick(store))
    }
    return { ...named, open }
  }
  const graph = withCheckpointer(source, checkpointer)
  const open = async (_config: JsonObject, store?: GraphCheckpoints) =>
    store ? withCheckpointer(source, pick(store)) : graph
  return { ...named, open }
}

function asGraph(value: unknown, spec: GraphSpec, how: string): Graph {
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

function describeError(cause: unknown): string {
  return cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause)
}
