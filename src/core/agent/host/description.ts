/** What a graph host says of its graphs. */
import type { JsonObject, JsonValue } from '../../json.ts'

/** What is known of a graph without opening it. */
export interface GraphInfo {
  graph_id: string
  description: string | null
  /** Whether the project exports a factory of it: to open it calls the project's code each time. */
  hasFactory: boolean
  /** What its context may have, where the project says so and exports no factory. */
  contextKeys: ReadonlySet<string> | undefined
  /** What its system assistant has; absent where `langgraph.json` says nothing. */
  config?: JsonObject
  context?: JsonObject
}

/** The part of an opened graph that describes it. */
export interface GraphDescriptions {
  /** By name, what it consists of. */
  names(): Promise<GraphNames>
  /** What it and its subgraphs take, keep and give. */
  schemas(): Promise<GraphSchemaSet>
  /** `xray`: whether subgraphs are drawn in the place of their nodes; a number: how deep. */
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
  /** By the way to them: `node`, or `node|node` for a subgraph's own. */
  subgraphs: Record<string, GraphSchemas>
}

/** JSON Schema. A part that cannot be derived is missing. */
export interface GraphSchemas {
  state_schema?: JsonObject
  input_schema?: JsonObject
  output_schema?: JsonObject
  /** The same as `context_schema`: a graph has one, and is handed it under both names. */
  config_schema?: JsonObject
  context_schema?: JsonObject
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
