/** A project's graph, described: its schemas and those of its subgraphs, and its drawing. */
import type { JsonObject, JsonValue } from '../../../core/json.ts'
import type { Log } from '../../../core/log.ts'
import type { Graph } from '../langgraph/graph.ts'
import type { ProjectGraph } from '../project.ts'
import {
  type GraphSchemas,
  isComplete,
  loadToJsonSchema,
  namesOnly,
  OPEN_CONTEXT,
  runtimeSchemas,
} from './runtime.ts'
import { staticSchemas } from './static.ts'

export interface GraphDescription {
  schemas: GraphSchemas
  /** By the way to them: `node`, or `node|node` for a subgraph's own. */
  subgraphs: Map<string, GraphSchemas>
}

/**
 * Reads what `graph`, opened from `source`, has at run time; what is missing there from the source;
 * what is missing there too, by the names of the values alone.
 */
export async function describeGraph(
  source: ProjectGraph,
  graph: Graph,
  log: Log,
): Promise<GraphDescription> {
  const toJsonSchema = await loadToJsonSchema(source.spec.file)
  const subgraphs = await listSubgraphs(graph)
  const own = runtimeSchemas(toJsonSchema, graph)
  const theirs = subgraphs.map(
    ([path, one]) => [path, one, runtimeSchemas(toJsonSchema, one)] as const,
  )
  const unsaid = theirs.filter(([, , schemas]) => !isComplete(schemas)).map(([path]) => path)
  const isSaid = isComplete(own) && unsaid.length === 0
  const found = isSaid ? undefined : await staticSchemas(source.spec, unsaid, { log })
  return {
    schemas: { ...OPEN_CONTEXT, ...namesOnly(graph), ...found?.graph, ...own },
    subgraphs: new Map(
      theirs.map(([path, one, schemas]) => [
        path,
        { ...OPEN_CONTEXT, ...namesOnly(one), ...found?.subgraphs[path], ...schemas },
      ]),
    ),
  }
}

export interface Drawing {
  /** A node without a name of its own has a number. `data` says what it is made of. */
  nodes: { id: string | number; type?: string; data?: JsonValue }[]
  /** `data`: what stands at a conditional edge, where that is not its target's name. */
  edges: {
    source: string | number
    target: string | number
    data?: string
    conditional?: boolean
  }[]
}

/** `xray`: whether subgraphs are drawn in the place of their nodes; a number: how deep. */
export async function drawGraph(
  graph: Graph,
  config: JsonObject,
  xray: boolean | number,
): Promise<Drawing> {
  const drawable = graph.getGraphAsync
    ? await graph.getGraphAsync({ ...config, xray })
    : graph.getGraph(config)
  return JSON.parse(JSON.stringify(drawable))
}

async function listSubgraphs(graph: Graph): Promise<[string, Graph][]> {
  const found: [string, Graph][] = []
  for await (const entry of graph.getSubgraphsAsync?.(undefined, true) ?? []) found.push(entry)
  return found
}
