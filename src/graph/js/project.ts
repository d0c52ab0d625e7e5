/** A user's project, loaded: its graphs, auth, routes and embeddings. */
import type { ProjectAuth } from '../../core/agent/host/auth.ts'
import type { Embed, HostCalls } from '../../core/agent/host/calls.ts'
import type { Patch } from '../../core/agent/host/patches.ts'
import type { ProjectRoutes } from '../../core/agent/host/project-routes.ts'
import type { RunCommand } from '../../core/agent/run.ts'
import { AppError } from '../../core/errors.ts'
import type { JsonValue } from '../../core/json.ts'
import type { Log } from '../../core/log.ts'
import type { Place } from '../../core/origin.ts'
import type { ProjectConfig } from '../../project/config.ts'
import { isJavascript } from '../../project/module-spec.ts'
import { loadAuth } from './auth/auth.ts'
import { loadCustomApp, serveCustomApp } from './custom-routes.ts'
import { mainFile } from './environment.ts'
import { bundledModule, closeBundle, openBundle } from './modules/bundled.ts'
import { installHooks } from './modules/hooks.ts'
import { checkLangGraph, type LangGraph, loadLangGraph } from './modules/langgraph-package.ts'
import { importExport } from './modules/loader.ts'
import { applyPatches } from './patches/patches.ts'
import { nameNodesBy } from './patches/sdk-logger.ts'
import { createMemory, type ProjectGraph, readSource, toProjectGraph } from './project-graph.ts'
import { ServerConnection } from './server-connection.ts'
import { loadEmbeddings } from './store/embeddings.ts'

export interface Project {
  /** By `graph_id`, in the order of `langgraph.json`. */
  graphs: Map<string, ProjectGraph>
  /** The embeddings of `store.index.embed`; absent: none. */
  embed?: Embed
  /** Absent: the server decides who may use the project. */
  auth?: ProjectAuth
  /** The project's own routes, if it has some. */
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

interface LoadOptions {
  log: Log
  /** Default: none. See docs/patches.md. */
  patchesOff?: readonly Patch[]
  /** Called before each import, with the rest of a sentence; the import may block the event loop. */
  onStep?(doing: string): Promise<void>
  /** The bundle of its modules; absolute. Absent: the sources are loaded. */
  bundlePath?: string
  /** Whether Node itself names the sources of the bundle, in stack traces that the project reads. Default: no. */
  hasSourceMaps?: boolean
  /** Unpacks the project with its packages, for a bundle without them; returns its configuration there. */
  unpackSources?(): Promise<ProjectConfig>
}

/**
 * Imports every graph of the project that is in JavaScript, its auth and its routes. The variables of
 * `graphEnvironment` and of the project's own `env` must be set before. Throws `bad_request`, with a message that names
 * the graph, its file and what to do.
 */
export async function loadProject(config: ProjectConfig, options: LoadOptions): Promise<Project> {
  const { bundlePath, patchesOff = [], log } = options
  applyPatches(log, patchesOff)
  if (!bundlePath) return loadSources(config, options)
  try {
    return await loadBundled(config, bundlePath, options)
  } catch (err) {
    closeBundle()
    const sources = (await options.unpackSources?.()) ?? config
    // If the project itself is at fault, this throws its error with all details.
    const project = await loadSources(sources, options)
    const fields = err instanceof AppError ? { reason: err.message } : { err }
    log.warn(fields, 'The bundle could not be used; the sources were loaded as they are.')
    return project
  }
}

async function loadBundled(
  config: ProjectConfig,
  bundlePath: string,
  options: LoadOptions,
): Promise<Project> {
  if (options.hasSourceMaps) process.setSourceMapsEnabled(true)
  await openBundle(bundlePath, config.root)
  return loadModules(config, options)
}

async function loadSources(sources: ProjectConfig, options: LoadOptions): Promise<Project> {
  await installHooks(mainFile(sources))
  return loadModules(sources, options)
}

async function loadModules(config: ProjectConfig, { log, onStep }: LoadOptions): Promise<Project> {
  const { root, border, auth: ownAuth, http } = config
  const index = config.store.index?.language === 'javascript' ? config.store.index : undefined
  const graphs = new Map<string, ProjectGraph>()
  const server = new ServerConnection()
  let embed: Embed | undefined
  let langgraph: LangGraph | undefined
  let langgraphVersion = ''
  for (const spec of config.graphs.filter(isJavascript)) {
    await onStep?.(`imports ${spec.path}`)
    langgraphVersion =
      bundledModule(spec.file)?.langgraphVersion ?? (await checkLangGraph(spec.file))
    const { exported } = await importExport(spec, `Graph "${spec.graph_id}"`)
    const source = await readSource(exported, spec)
    const own = await loadLangGraph(spec.file)
    langgraph ??= own
    nameNodesBy(own)
    // The embeddings may be of a package that the file can import.
    embed ??= index && (await loadEmbeddings({ root, border, file: spec.file }, index))
    const memory = createMemory(own, langgraphVersion, server)
    graphs.set(spec.graph_id, toProjectGraph(spec, source, memory))
    log.debug({ graph_id: spec.graph_id, file: spec.path }, 'Loaded a graph.')
  }
  const ofAuth = ownAuth && isJavascript(ownAuth) ? ownAuth : undefined
  if (ofAuth) await onStep?.(`imports ${ofAuth.path}`)
  const auth = ofAuth && (await loadAuth(ofAuth))
  const ofApp = http.app && isJavascript(http.app) ? http.app : undefined
  if (ofApp) await onStep?.(`imports ${ofApp.path}`)
  const app = ofApp && (await loadCustomApp(ofApp))
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

/**
 * A run's `command` as the project's own LangGraph takes it. `goto` may be a node's name, `{node, input}` (a `Send`),
 * or a list of both.
 */
function toCommand(langgraph: LangGraph, command: RunCommand): unknown {
  const { goto, update, resume } = command
  return new langgraph.Command({
    ...(goto !== undefined && goto !== null && { goto: toGoto(langgraph, goto) }),
    ...(update !== undefined && update !== null && { update }),
    ...(resume !== undefined && { resume }),
  })
}

function toGoto(langgraph: LangGraph, goto: JsonValue): unknown[] {
  const targets = Array.isArray(goto) ? goto : [goto]
  return targets.map((target) => {
    if (target === null || typeof target !== 'object' || Array.isArray(target)) return target
    return new langgraph.Send(String(target.node), target.input)
  })
}
