/** What is read of graphs in their sources. */
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
  /** By the way to them (`node` or `node|node`). */
  subgraphs: Record<string, GraphSchemas>
}

/** The name of a graph among those of its project. */
export function keyOf({ path, exportName }: Pick<GraphPlace, 'path' | 'exportName'>): string {
  return `${path}:${exportName}`
}
