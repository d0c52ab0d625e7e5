/** The assistants as tools of the Model Context Protocol. */
import type { Tool } from '@modelcontextprotocol/server'
import type { Assistant } from '../../core/agent/assistant.ts'
import type { Caller } from '../../core/agent/authorization.ts'
import type { GraphSchemas } from '../../core/agent/host/description.ts'
import { AppError } from '../../core/errors.ts'
import { parseJson } from '../../core/exact-json.ts'
import { isObject, type JsonObject } from '../../core/json.ts'
import { getAssistantSchemas } from '../assistants/graph.ts'
import { searchAssistants } from '../assistants/search.ts'
import { isSystemAssistant } from '../assistants/system.ts'
import type { Parts } from '../parts.ts'

/** How many tools stand on a page of the list. */
export const TOOLS_PER_PAGE = 100
/** How many assistants are read from the store at once. */
const BATCH = 1000
/** The longest name that every model provider takes. */
const MAX_NAME = 64
/** How many characters of an assistant's id are added to a name that is taken. */
const ID_PIECE = 8

type Named = Pick<Assistant, 'assistant_id' | 'graph_id' | 'name' | 'description'>

/** A tool's name and the assistant behind it. */
export interface NamedTool {
  name: string
  assistant: Named
}

/**
 * What the caller may see, with names that hold letters, digits, `_` and `-` only and are unique: the
 * graphs' own assistants first, then the others in the order of their creation. Of namesakes the
 * first has the name, the others a piece of their id behind it.
 */
export async function listTools(
  parts: Pick<Parts, 'store' | 'host' | 'authorize'>,
  caller: Caller,
): Promise<NamedTool[]> {
  const assistants = await readAssistants(parts, caller)
  const isOwn = (one: Named) => isSystemAssistant(parts, one)
  const graphs = [...parts.host.graphs.keys()]
  const place = (one: Named) => graphs.indexOf(one.graph_id)
  const own = assistants.filter(isOwn).toSorted((a, b) => place(a) - place(b))
  const ordered = [...own, ...assistants.filter((one) => !isOwn(one))]
  const taken = new Set<string>()
  return ordered
    .filter(({ graph_id }) => parts.host.graphs.has(graph_id))
    .map((assistant) => {
      const name = freeName(assistant, taken)
      taken.add(name)
      return { name, assistant }
    })
}

/** The tool as clients see it. A graph that cannot be described takes any object. */
export async function describeTool(
  parts: Pick<Parts, 'store' | 'host' | 'authorize' | 'log'>,
  caller: Caller,
  { name, assistant }: NamedTool,
): Promise<Tool> {
  const { graph_id, name: title } = assistant
  const description =
    assistant.description ?? parts.host.graphs.get(graph_id)?.description ?? undefined
  const inputSchema = withoutHeaders(toolInput(await readSchemas(parts, caller, assistant)))
  return {
    name,
    title,
    description:
      description ?? `Runs the agent "${title}" and answers the state that it ends with.`,
    inputSchema,
  }
}

/**
 * Tells a call's arguments apart: `context` is the run's, unless the graph has an input of that name;
 * all the others are its input.
 */
export async function splitArguments(
  parts: Pick<Parts, 'store' | 'host' | 'authorize' | 'log'>,
  caller: Caller,
  assistant: Named,
  args: JsonObject,
): Promise<{ input: JsonObject; context?: JsonObject }> {
  const { context, ...input } = args
  if (context === undefined || !isObject(context)) return { input: args }
  const schemas = await readSchemas(parts, caller, assistant)
  const isInput = 'context' in objectOf(schemas.input_schema?.properties)
  return isInput ? { input: args } : { input, context }
}

async function readAssistants(
  parts: Pick<Parts, 'store' | 'authorize'>,
  caller: Caller,
): Promise<Named[]> {
  const found: Named[] = []
  const page = { sort_by: 'created_at', sort_order: 'asc', limit: BATCH } as const
  const select: (keyof Assistant)[] = ['assistant_id', 'graph_id', 'name', 'description']
  for (;;) {
    const search = { ...page, offset: found.length, select }
    const { assistants, total } = await searchAssistants(parts, caller, search)
    found.push(...(assistants as Named[]))
    if (assistants.length === 0 || found.length >= total) return found
  }
}

function freeName({ name, assistant_id }: Named, taken: ReadonlySet<string>): string {
  const plain = toolName(name)
  if (!taken.has(plain)) return plain
  for (let length = ID_PIECE; ; length += 1) {
    const piece = assistant_id.slice(0, length)
    const named = `${plain.slice(0, MAX_NAME - piece.length - 1)}_${piece}`
    if (!taken.has(named) || length > assistant_id.length) return named
  }
}

function toolName(name: string): string {
  const valid = name.replace(/[^A-Za-z0-9_-]+/g, '_').slice(0, MAX_NAME)
  return /[A-Za-z0-9]/.test(valid) ? valid : 'agent'
}

async function readSchemas(
  parts: Pick<Parts, 'store' | 'host' | 'authorize' | 'log'>,
  caller: Caller,
  { assistant_id }: Named,
): Promise<GraphSchemas> {
  try {
    return await getAssistantSchemas(parts, caller, assistant_id)
  } catch (err) {
    if (!(err instanceof AppError) || err.code !== 'bad_request') throw err
    parts.log.warn({ assistant_id, err }, 'a tool is listed without the schema of its input')
    return {}
  }
}

/** The protocol requires an object at the root. LangGraph's schemas do not always say that it is one. */
function toolInput({ input_schema, context_schema }: GraphSchemas): Tool['inputSchema'] {
  const { $schema: _, ...input } = rooted(input_schema ?? {})
  const own = objectOf(input.properties)
  const { $schema: __, ...context } = rooted(context_schema ?? {})
  // A graph without a context has nothing here that a model could fill in.
  if (!isObject(context.properties) || 'context' in own) return { ...input, type: 'object' }
  const described = { description: 'What the run is given beside its input.', ...context }
  const properties = { ...own, context: described } as Tool['inputSchema']['properties']
  return { ...input, type: 'object', properties }
}

/**
 * Without `x-mcp-header`, by which a schema asks clients to repeat an argument in a header: servers that ask for it have
 * to compare both, and clients leave out tools that ask in a wrong place.
 */
function withoutHeaders<T>(schema: T): T {
  const kept = (name: string, value: unknown) =>
    name === 'x-mcp-header' && typeof value === 'string' ? undefined : value
  return parseJson(JSON.stringify(schema, kept))
}

/** A schema that is only a reference to one of its definitions, as that one. */
function rooted(schema: JsonObject): JsonObject {
  const [, place, name] = /^#\/(definitions|\$defs)\/([^/]+)$/.exec(String(schema.$ref)) ?? []
  if (!place || !name) return schema
  const { $ref: _, ...rest } = schema
  return { ...rest, ...objectOf(objectOf(schema[place])[name]) }
}

function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {}
}
