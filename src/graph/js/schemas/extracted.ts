/** Schemas that were read from the sources of graphs. */
import type { GraphSchemas } from '../../../core/agent/host/description.ts'

/** A graph, by the names that `langgraph.json` gives it. */
export interface GraphPlace {
  /** The file that exports the graph; absolute. */
  file: string
  /** As written. */
  path: string
  exportName: string
}

export interface ExtractedSchemas {
  graph: GraphSchemas
  /** By path (`node` or `node|node`). */
  subgraphs: Record<string, GraphSchemas>
}

/** The key of a graph, unique in its project. */
export function keyOf({ path, exportName }: Pick<GraphPlace, 'path' | 'exportName'>): string {
  return `${path}:${exportName}`
}
