/** Describes a project's graph: its schemas and those of its subgraphs, and its drawing. */
import type { Drawing, GraphSchemaSet } from '../../../core/agent/host/description.ts'
import type { JsonObject } from '../../../core/json.ts'
import type { Graph } from '../langgraph/graph.ts'
import type { ProjectGraph } from '../project-graph.ts'
import { isComplete, loadToJsonSchema, namesOnly, OPEN_CONTEXT, runtimeSchemas } from './runtime.ts'
import type { StaticSchemas } from './static.ts'

/**
 * Reads the schemas that `graph`, opened from `source`, has at run time. Missing ones come from `written`, the sources,
 * or else only name the values.
 */
export async function describeGraph(
  source: ProjectGraph,
  graph: Graph,
  written: Pick<StaticSchemas, 'of'>,
): Promise<GraphSchemaSet> {
  const toJsonSchema = await loadToJsonSchema(source.spec.file)
  const subgraphs = await listSubgraphs(graph)
  const own = runtimeSchemas(toJsonSchema, graph)
  const theirs = subgraphs.map(
    ([path, one]) => [path, one, runtimeSchemas(toJsonSchema, one)] as const,
  )
  const isSaid = isComplete(own) && theirs.every(([, , schemas]) => isComplete(schemas))
  const found = isSaid ? undefined : await written.of(source.spec)
  return {
    graph: { ...OPEN_CONTEXT, ...namesOnly(graph), ...found?.graph, ...own },
    subgraphs: Object.fromEntries(
      theirs.map(([path, one, schemas]) => [
        path,
        { ...OPEN_CONTEXT, ...namesOnly(one), ...found?.subgraphs[path], ...schemas },
      ]),
    ),
  }
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
