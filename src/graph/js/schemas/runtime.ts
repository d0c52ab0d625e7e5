/** What a graph takes, keeps and gives, as JSON Schema: from the schemas that it has at run time. */
import type { Drawing, GraphSchemaSet, GraphSchemas } from '../../../core/agent/host/description.ts'
import type { JsonObject, JsonValue } from '../../../core/json.ts'
import type { Graph, GraphBuilder } from '../langgraph/graph.ts'
import { importFor } from '../modules/loader.ts'
import type { ProjectGraph } from '../project-graph.ts'
import type { ExtractedSchemas, GraphPlace } from './kept.ts'

export const JSON_SCHEMA_MODULE = '@langchain/core/utils/json_schema'

/** `toJsonSchema` of LangChain's core: zod 3 and 4, and whatever follows Standard JSON Schema. */
type ToJsonSchema = (schema: unknown, params?: object) => unknown

/**
 * The project's own copy, for a graph that this file, already imported, exports. `undefined` where
 * the file cannot import it: core came with LangGraph only.
 */
async function loadToJsonSchema(file: string): Promise<ToJsonSchema | undefined> {
  try {
    const core = await importFor(file, JSON_SCHEMA_MODULE)
    return (core as { toJsonSchema: ToJsonSchema }).toJsonSchema
  } catch {
    return undefined
  }
}

/** The graph's own schemas; empty if it was built of annotations. */
function runtimeSchemas(toJsonSchema: ToJsonSchema | undefined, { builder }: Graph): GraphSchemas {
  if (!builder) return {}
  const { _schemaRuntimeDefinition: state, _inputRuntimeDefinition: own } = builder
  const write = (definition: unknown, kind: keyof typeof EFFECTS) =>
    readDefinition(toJsonSchema, builder, definition, kind)
  return toSchemas({
    state: write(state, 'value'),
    // A symbol stands for "the same as the state".
    input: write(typeof own === 'symbol' ? state : own, 'update'),
    output: write(builder._outputRuntimeDefinition, 'value'),
    context: write(builder._configRuntimeSchema, 'value'),
  })
}

/** Schemas that only name the values, if their types are unknown. */
export function namesOnly(graph: Graph): GraphSchemas {
  const { builder } = graph
  return toSchemas({
    state: objectWith(builder?._schemaDefinition),
    input: objectWith(builder?._inputDefinition),
    output: objectWith(builder?._outputDefinition),
  })
}

/** Whether a graph has all the schemas that it must have. */
function isComplete({ state_schema, input_schema, output_schema }: GraphSchemas): boolean {
  return state_schema !== undefined && input_schema !== undefined && output_schema !== undefined
}

/** The dialect of schemas that do not name one. */
const DIALECT = { $schema: 'http://json-schema.org/draft-07/schema#' }

/** The context of a graph without a schema for it: any object. */
const OPEN: JsonObject = { ...DIALECT, type: 'object' }

/** `config_schema` and `context_schema`, for graphs that have none. */
const OPEN_CONTEXT = toSchemas({ context: OPEN })

/** The schemas under their wire names; those that are `undefined` are left out. */
export function toSchemas(parts: {
  state?: JsonObject | undefined
  input?: JsonObject | undefined
  output?: JsonObject | undefined
  context?: JsonObject | undefined
}): GraphSchemas {
  const { state, input, output, context } = parts
  const ofContext = context && { ...DIALECT, ...context }
  return {
    ...(state && { state_schema: { ...DIALECT, ...state } }),
    ...(input && { input_schema: { ...DIALECT, ...input } }),
    ...(output && { output_schema: { ...DIALECT, ...output } }),
    ...(ofContext && { config_schema: ofContext, context_schema: ofContext }),
  }
}

/** LangGraph's views of a zod object: the stored value, and an update by a caller. */
const EFFECTS = {
  value: { withJsonSchemaExtrasAsDescription: true },
  update: { withJsonSchemaExtrasAsDescription: true, withReducerSchema: true, asPartial: true },
} as const

/** For zod 4: a type that JSON Schema cannot express may be anything, and a date is a text. */
const LENIENT = {
  unrepresentable: 'any',
  override: ({ zodSchema, jsonSchema }: ZodNode) => {
    if (zodSchema._zod.def.type !== 'date') return
    Object.assign(jsonSchema, { type: 'string', format: 'date-time' })
  },
}

interface ZodNode {
  zodSchema: { _zod: { def: { type: string } } }
  jsonSchema: object
}

function readDefinition(
  toJsonSchema: ToJsonSchema | undefined,
  { _metaRegistry }: GraphBuilder,
  definition: unknown,
  kind: keyof typeof EFFECTS,
): JsonObject | undefined {
  if (typeof definition !== 'object' || definition === null) return undefined
  try {
    const written = isStateSchema(definition)
      ? definition[kind === 'update' ? 'getInputJsonSchema' : 'getJsonSchema']()
      : toJsonSchema?.(_metaRegistry?.getExtendedChannelSchemas(definition, EFFECTS[kind]), LENIENT)
    // Drops what is no JSON (a default that is a function, say).
    return applyExtras(JSON.parse(JSON.stringify(written))) as JsonObject
  } catch {
    return undefined
  }
}

/** LangGraph's own kind of state definition, of standard schemas. */
interface StateSchema {
  getJsonSchema(): object
  getInputJsonSchema(): object
}

function isStateSchema(definition: object): definition is StateSchema {
  return 'getJsonSchema' in definition && 'getInputJsonSchema' in definition
}

const EXTRAS = 'lg:'

/** LangGraph hides what a field adds to its schema in the description, as `lg:<JSON>`. */
function applyExtras(schema: JsonValue): JsonValue {
  if (Array.isArray(schema)) return schema.map(applyExtras)
  if (typeof schema !== 'object' || schema === null) return schema
  const entries = Object.entries(schema).map(([key, value]) => [key, applyExtras(value)])
  const { description, ...rest } = Object.fromEntries(entries) as JsonObject
  if (typeof description !== 'string') return { ...rest, ...(description && { description }) }
  if (!description.startsWith(EXTRAS)) return { ...rest, description }
  return { ...rest, ...JSON.parse(description.slice(EXTRAS.length)) }
}

/** The key of the single value of a graph without names. */
const UNNAMED = '__root__'

function objectWith(definition: object | undefined): JsonObject | undefined {
  if (!definition || UNNAMED in definition) return undefined
  const properties = Object.keys(definition).map((key): [string, JsonObject] => [key, {}])
  return { type: 'object', properties: Object.fromEntries(properties) }
}

/**
 * Reads the schemas that `graph`, opened from `source`, has at run time. Missing ones come from `written`, the sources,
 * or else only name the values.
 */
export async function describeGraph(
  source: ProjectGraph,
  graph: Graph,
  written: { of(graph: Pick<GraphPlace, 'path' | 'exportName'>): Promise<ExtractedSchemas> },
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
