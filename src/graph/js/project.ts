/** A user's project, loaded: its graphs, ready to run on the server's checkpoints. */
import type { GraphCheckpoints } from '../../core/agent/checkpoint.ts'
import type { Embed } from '../../core/agent/embeddings.ts'
import type { HostCalls } from '../../core/agent/host-calls.ts'
import type { ProjectAuth } from '../../core/agent/project-auth.ts'
import type { ProjectRoutes } from '../../core/agent/project-routes.ts'
import type { RunCommand } from '../../core/agent/run.ts'
import { AppError } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Log } from '../../core/log.ts'
import type { Place } from '../../core/origin.ts'
import type { GraphSpec, ProjectConfig } from '../../project/config.ts'
import { loadAuth } from './auth/auth.ts'
import { createCheckpointerClass } from './checkpoints/checkpointer.ts'
import { sendsFormOf } from './checkpoints/sends.ts'
import { loadCustomApp } from './custom-app.ts'
import { serveCustomApp } from './custom-routes.ts'
import { toCommand } from './langgraph/command.ts'
import { contextKeysOf, type Graph, toGraph, withMemory } from './langgraph/graph.ts'
import { installLoopback } from './loopback.ts'
import { closeBundle, openBundle } from './modules/bundled.ts'
import { describeError, importExport } from './modules/export.ts'
import { checkLangGraph, type LangGraph, loadLangGraph } from './modules/langgraph-package.ts'
import { installHooks } from './modules/loader.ts'
import { asLaterLine } from './older-line.ts'
import { installSdkLogger, nameNodesBy } from './sdk-logger.ts'
import { ServerConnection } from './server-connection.ts'
import { createStoreClass, isProjectStore } from './store/base-store.ts'
import { handOnOperations } from './store/batched-store.ts'
import { loadEmbeddings } from './store/embeddings.ts'

export interface Project {
  /** By `graph_id`, in the order of `langgraph.json`. */
  graphs: Map<string, ProjectGraph>
  /** What `store.index.embed` names; absent: nothing. */
  embed?: Embed
  /** Absent where the project leaves it to the server who may use it. */
  auth?: ProjectAuth
  /** The project's own routes, where it has some. */
  routes?: ProjectRoutes
  /** Of its LangGraph. */
  langgraphVersion: string
  /** A run's `command` as the input of `Graph.stream`. */
  command(command: RunCommand): unknown
  /** See `GraphHost`. */
  connect(calls: HostCalls): () => void
  /** See `HostCalls`. */
  onNode(place: Place): void
}

export interface ProjectGraph {
  graph_id: string
  description: string | null
  /** Where it comes from. */
  spec: GraphSpec
  /** Whether the project exports a factory of it. */
  hasFactory: boolean
  /** What its context may have, where the project says so and exports no factory. */
  contextKeys: ReadonlySet<string> | undefined
  /**
   * The graph for one run, with the server's checkpointer and store. Where the project exports a factory it
   * is called with the run's config each time, and what it throws is thrown; else every call
   * answers the same graph. With `checkpoints` it reads and writes these instead.
   */
  open(config: JsonObject, checkpoints?: GraphCheckpoints): Promise<Graph>
}

export interface LoadOptions {
  log: Log
  /** The bundle of its modules; absolute. Absent: they are loaded as they are. */
  bundlePath?: string
}

/**
 * Imports every graph of the project, its auth and its routes. The variables of `GRAPH_ENVIRONMENT`
 * and of the project's own `env` must be set before. Throws `bad_request`, with a message that names the
 * graph, its file and what to do.
 */
export async function loadProject(config: ProjectConfig, options: LoadOptions): Promise<Project> {
  const { bundlePath, log } = options
  installLoopback()
  installSdkLogger(log)
  const bundled = bundlePath && (await loadBundled(config, bundlePath, log))
  if (bundled) return bundled
  await installHooks(config.root)
  return loadModules(config, log)
}

/** `undefined` where the bundle does not work: the sources decide then, and what they throw. */
async function loadBundled(
  config: ProjectConfig,
  bundlePath: string,
  log: Log,
): Promise<Project | undefined> {
  try {
    await openBundle(bundlePath, config.root)
    return await loadModules(config, log)
  } catch (err) {
    closeBundle()
    // Where the project itself is at fault its sources say so again, with all that belongs to it.
    const fields = err instanceof AppError ? { reason: err.message } : { err }
    log.warn(fields, 'The bundle could not be used; the sources are loaded as they are.')
    return undefined
  }
}

async function loadModules(config: ProjectConfig, log: Log): Promise<Project> {
  const graphs = new Map<string, ProjectGraph>()
  const server = new ServerConnection()
  let embed: Embed | undefined
  let langgraph: LangGraph | undefined
  let langgraphVersion = ''
  for (const spec of config.graphs) {
    langgraphVersion = await checkLangGraph(spec.file)
    const { exported } = await importExport(spec, `Graph "${spec.graph_id}"`)
    const source = await readSource(exported, spec)
    const own = await loadLangGraph(spec.file)
    langgraph ??= own
    nameNodesBy(own)
    embed ??= await loadEmbed(config, spec.file)
    const memory = createMemory(own, langgraphVersion, server)
    graphs.set(spec.graph_id, toProjectGraph(spec, source, memory))
    log.debug({ graph_id: spec.graph_id, file: spec.path }, 'Loaded a graph.')
  }
  const auth = config.auth && (await loadAuth(config.auth))
  const app = config.http.app && (await loadCustomApp(config.http.app))
  return {
    graphs,
    ...(embed && { embed }),
    ...(auth && { auth }),
    ...(app && { routes: serveCustomApp(app, log) }),
    langgraphVersion,
    command: (command) => toCommand(langgraph as LangGraph, command),
    connect: (calls) => server.connect(calls),
    onNode: (place) => server.onNode(place),
  }
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

/** `file`: a graph's, imported; the project's embeddings may be of a package that it can import. */
async function loadEmbed(
  { root, store: { index } }: ProjectConfig,
  file: string,
): Promise<Embed | undefined> {
  return index && loadEmbeddings({ root, file }, index)
}

/** What a graph remembers with, as objects of its own copy of LangGraph. */
interface Memory {
  langgraphVersion: string
  store: unknown
  /** Default: on the checkpoints of the server. */
  checkpointerOn: (checkpoints?: GraphCheckpoints) => unknown
}

function createMemory(
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

function toProjectGraph(
  spec: GraphSpec,
  source: Source,
  { langgraphVersion, store, checkpointerOn }: Memory,
): ProjectGraph {
  const remember = (graph: Graph, checkpoints?: GraphCheckpoints) => {
    const own = withMemory(graph, { checkpointer: checkpointerOn(checkpoints), store })
    return asLaterLine(own, langgraphVersion)
  }
  const hasFactory = typeof source === 'function'
  const named = { graph_id: spec.graph_id, description: spec.description, spec, hasFactory }
  if (typeof source === 'function') {
    const open = async (config: JsonObject, checkpoints?: GraphCheckpoints) =>
      remember(asGraph(await source(config), spec, 'its factory answered'), checkpoints)
    return { ...named, contextKeys: undefined, open }
  }
  const graph = remember(source)
  const open = async (_config: JsonObject, checkpoints?: GraphCheckpoints) =>
    checkpoints ? remember(source, checkpoints) : graph
  return { ...named, contextKeys: contextKeysOf(source), open }
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
