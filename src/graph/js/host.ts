/** The graph host for JavaScript: the project's graphs, in this process, behind the port. */
import type { GraphHost } from '../../core/agent/host/graph-host.ts'
import { AppError } from '../../core/errors.ts'
import { withPlainNumbers } from '../../core/exact-json.ts'
import type { Log } from '../../core/log.ts'
import { toRunnableConfig } from './langgraph/runnable-config.ts'
import { OpenedGraph } from './opened-graph.ts'
import type { Project } from './project.ts'
import { describeGraph } from './schemas/description.ts'
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
