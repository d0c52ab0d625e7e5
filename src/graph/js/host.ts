/** The graph host for JavaScript: the project's graphs, in this process, behind the port. */
import type { Drawing, GraphNames, GraphSchemaSet } from '../../core/agent/host/description.ts'
import type { GraphConfig, GraphHost, OpenGraph } from '../../core/agent/host/graph-host.ts'
import type { GraphRun, GraphRunRequest, RunCalls } from '../../core/agent/host/run.ts'
import type {
  StateOptions,
  StatePlace,
  StateQuery,
  StateUpdate,
  Superstep,
} from '../../core/agent/host/states.ts'
import type { ThreadState } from '../../core/agent/thread.ts'
import { AppError } from '../../core/errors.ts'
import { withPlainNumbers } from '../../core/exact-json.ts'
import type { JsonObject, JsonValue } from '../../core/json.ts'
import type { Log } from '../../core/log.ts'
import { CHECKPOINTS_KEY } from './checkpoints/config.ts'
import { forgettingAnswers } from './checkpoints/resume-answers.ts'
import { toPlace, toThreadState } from './langgraph/state.ts'
import type { Project } from './project.ts'
import { JsRun, type RunParts } from './run/run.ts'
import { describeGraph, drawGraph, namesOnly } from './schemas/runtime.ts'
import { NOTHING, StaticSchemas } from './schemas/static.ts'

/** The files of schemas that were read from the sources. */
export interface SchemasPlace {
  /** The file that the project's build wrote, if any; absolute. */
  builtAt?: string
  /** The file for the next start; absolute. Absent: schemas are not kept. */
  keptAt?: string
  /** Whether schemas that a graph lacks are read now, before the first request for them. Default: no. */
  isReadAhead?: boolean
}

interface JsHostOptions {
  /** Whether graphs trace to LangSmith. */
  isLangSmithUsed: boolean
  /** LangSmith's project of the environment. Default `default`. */
  langSmithProject?: string
  schemas?: SchemasPlace
  /** The step limit of runs whose config and graph set none. Absent: LangGraph's own. */
  recursionLimit?: number
  log: Log
}

export function createJsHost(
  project: Project,
  { isLangSmithUsed, langSmithProject, schemas: place = {}, recursionLimit, log }: JsHostOptions,
): GraphHost {
  const infos = [...project.graphs.values()].map(({ spec: _spec, open: _open, ...info }) => info)
  const { auth, routes, embed, onNode } = project
  const graphs = [...project.graphs.values()].map(({ spec }) => spec)
  const schemas = new StaticSchemas({ ...place, graphs, log })
  const tracing = { isLangSmithUsed, ...(langSmithProject !== undefined && { langSmithProject }) }
  if (place.isReadAhead) void readAhead(project, schemas)
  return {
    runtimes: [{ language: 'js', langgraphVersion: project.langgraphVersion }],
    graphs: new Map(infos.map((info) => [info.graph_id, info])),
    ...(auth && { auth }),
    ...(routes && { routes }),
    ...(embed && { embed }),
    connect: project.connect,
    async open(graph_id, given, checkpoints) {
      const source = project.graphs.get(graph_id)
      if (!source) throw new AppError('not_found', `The project has no graph "${graph_id}".`)
      const asked = toRunnableConfig(withPlainNumbers(given))
      const graph = await source.open(asked, checkpoints)
      const own = (graph as { config?: { recursionLimit?: number } }).config?.recursionLimit
      const isLimited = recursionLimit === undefined || own !== undefined
      const config = isLimited ? asked : { recursionLimit, ...asked }
      return new OpenedGraph({ graph, source, config, project, ...tracing, onNode, schemas })
    },
  }
}

/** Reads only if a graph lacks schemas at run time; always for a factory, whose graphs are not known yet. */
async function readAhead({ graphs }: Project, schemas: StaticSchemas): Promise<void> {
  const beginning = {
    async of() {
      schemas.begin()
      return NOTHING
    },
  }
  for (const source of graphs.values()) {
    if (source.hasFactory) schemas.begin()
    // What fails here fails again for the request, which reports it.
    else await describeGraph(source, await source.open({}), beginning).catch(() => {})
  }
}

// A compiled graph of LangGraph for JavaScript behind the port.

interface OpenedParts extends RunParts {
  schemas: StaticSchemas
}

class OpenedGraph implements OpenGraph {
  readonly #parts: OpenedParts

  constructor(parts: OpenedParts) {
    this.#parts = parts
  }

  async run(request: GraphRunRequest, calls: RunCalls, signal: AbortSignal): Promise<GraphRun> {
    return new JsRun(this.#parts, withPlainNumbers(request), calls, signal)
  }

  async getState(
    place: StatePlace,
    { subgraphs, checkpoints }: StateOptions = { subgraphs: false },
  ): Promise<ThreadState> {
    const { graph } = this.#parts
    const config = configAt({ ...place, ...(checkpoints && { [CHECKPOINTS_KEY]: checkpoints }) })
    return toThreadState(await forgettingAnswers(() => graph.getState(config, { subgraphs })))
  }

  async *listStates(place: StatePlace, query: StateQuery): AsyncGenerator<ThreadState> {
    const options = historyOptions(place.thread_id, query)
    const snapshots = this.#parts.graph.getStateHistory(configAt(place), options)
    for await (const snapshot of snapshots) yield toThreadState(snapshot)
  }

  async updateState(place: StatePlace, supersteps: Superstep[]): Promise<StatePlace> {
    const steps = withPlainNumbers(supersteps).map(({ updates }) => ({
      updates: updates.map((update) => this.#toUpdate(update)),
    }))
    const { graph } = this.#parts
    const config = await forgettingAnswers(() => graph.bulkUpdateState(configAt(place), steps))
    return toPlace(config, place.thread_id)
  }

  async names(): Promise<GraphNames> {
    const { graph } = this.#parts
    const { input_schema } = namesOnly(graph)
    return {
      nodes: Object.keys(graph.nodes),
      ...(graph.channels && { channels: Object.keys(graph.channels) }),
      values: [graph.streamChannelsAsIs].flat(),
      ...(input_schema && { input: Object.keys(input_schema.properties ?? {}) }),
    }
  }

  async schemas(): Promise<GraphSchemaSet> {
    const { graph, source, schemas } = this.#parts
    return describeGraph(source, graph, schemas)
  }

  draw(xray: boolean | number): Promise<Drawing> {
    return drawGraph(this.#parts.graph, this.#parts.config, xray)
  }

  #toUpdate({ values, command, as_node }: StateUpdate) {
    return {
      values: command ? this.#parts.project.command(command) : (values ?? null),
      ...(as_node !== undefined && { asNode: as_node }),
    }
  }
}

function configAt(place: StatePlace): object {
  return { configurable: { checkpoint_ns: '', ...place } }
}

function historyOptions(thread_id: string, { limit, before, metadata }: StateQuery): object {
  return {
    limit,
    ...(before !== undefined && {
      before: { configurable: { thread_id, checkpoint_id: before } },
    }),
    ...(metadata && { filter: metadata }),
  }
}

/** The wire's names of config fields, and LangGraph's. */
const FIELDS = {
  tags: 'tags',
  recursion_limit: 'recursionLimit',
  max_concurrency: 'maxConcurrency',
  run_name: 'runName',
} as const

/** What a graph's factory and `stream` are called with. */
function toRunnableConfig({ metadata, configurable, ...config }: GraphConfig): JsonObject {
  const entries = Object.entries(FIELDS).flatMap(([wire, own]): [string, JsonValue][] => {
    const value = config[wire as keyof typeof FIELDS]
    return value === undefined ? [] : [[own, value]]
  })
  return { ...Object.fromEntries(entries), ...(metadata && { metadata }), configurable }
}
