/** How a graph host describes its graphs. */
import type { JsonObject, JsonValue } from '../../json.ts'

/** The facts about a graph that need no opening. */
export interface GraphInfo {
  graph_id: string
  description: string | null
  /** Whether the project exports a factory for it: each opening calls the project's code. */
  hasFactory: boolean
  /** The keys of its context, if the project declares them and exports no factory. */
  contextKeys: ReadonlySet<string> | undefined
  /** The configuration of its system assistant; absent if `langgraph.json` has none. */
  config?: JsonObject
  context?: JsonObject
}

/** The part of an opened graph that describes it. */
export interface GraphDescriptions {
  /** The names of its parts. */
  names(): Promise<GraphNames>
  /** The schemas of the graph and its subgraphs. */
  schemas(): Promise<GraphSchemaSet>
  /** `xray`: draws subgraphs instead of their nodes; a number: how deep. */
  draw(xray: boolean | number): Promise<Drawing>
}

export interface GraphNames {
  nodes: string[]
  /** State keys, and LangGraph's own channels; absent: unknown. */
  channels?: string[]
  /** The keys that its `values` have; empty for a graph whose state is one value. */
  values: string[]
  /** The keys that its input may have; absent: unknown. */
  input?: string[]
}

export interface GraphSchemaSet {
  graph: GraphSchemas
  /** By path: `node`, or `node|node` for a nested subgraph. */
  subgraphs: Record<string, GraphSchemas>
}

/** JSON Schema. A part that cannot be derived is missing. */
export interface GraphSchemas {
  state_schema?: JsonObject
  input_schema?: JsonObject
  output_schema?: JsonObject
  /** The same as `context_schema`: a graph has one, and gets it under both names. */
  config_schema?: JsonObject
  context_schema?: JsonObject
}

export interface Drawing {
  /** A node without a name has a number as `id`. `data` describes what it is made of. */
  nodes: { id: string | number; type?: string; data?: JsonValue }[]
  /** `data`: the label of a conditional edge, if it is not the target's name. */
  edges: {
    source: string | number
    target: string | number
    data?: string
    conditional?: boolean
  }[]
}
