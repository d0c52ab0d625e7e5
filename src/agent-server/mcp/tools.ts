/** The assistants as tools of the Model Context Protocol. */
import type { Tool } from '@modelcontextprotocol/server'
import type { Assistant } from '../../core/agent/assistant.ts'
import type { Caller } from '../../core/agent/authorization.ts'
import type { GraphSchemas } from '../../core/agent/host/description.ts'
import { AppError } from '../../core/errors.ts'
import { parseJson } from '../../core/exact-json.ts'
import { isObject, type JsonObject } from '../../core/json.ts'
import type { Parts } from '../agent-server-parts.ts'
import { getAssistantSchemas } from '../assistants/assistant-graph.ts'
import { searchAssistants } from '../assistants/assistants.ts'
import { isSystemAssistant } from '../assistants/system.ts'

/** How many tools a page of the list has. */
export const TOOLS_PER_PAGE = 100
/** How many assistants are read from the store at once. */
const BATCH = 1000
/** The longest name that every model provider accepts. */
const MAX_NAME = 64
/** How many characters of an assistant's id are added to a name that is already used. */
const ID_PIECE = 8

type Named = Pick<Assistant, 'assistant_id' | 'graph_id' | 'name' | 'description'>

/** A tool's name and the assistant behind it. */
export interface NamedTool {
  name: string
  assistant: Named
}

/**
 * The assistants that the caller may see: the graphs' system assistants first, then the others in the
 * order of their creation. Names are unique and have only letters, digits, `_` and `-`. If several
 * assistants have the same name, all but the first get a piece of their id behind it.
 */
export async function listTools(parts: Parts, caller: Caller): Promise<NamedTool[]> {
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

/** The tool as clients see it. If its graph cannot be described, the tool accepts any object. */
export async function describeTool(
  parts: Parts,
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
 * Splits a call's arguments: `context` is the run's context, unless the graph has an input of that
 * name; all others are its input.
 */
export async function splitArguments(
  parts: Parts,
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

async function readAssistants(parts: Parts, caller: Caller): Promise<Named[]> {
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
  parts: Parts,
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

/** The protocol requires an object at the root, which LangGraph's schemas do not always declare. */
function toolInput({ input_schema, context_schema }: GraphSchemas): Tool['inputSchema'] {
  const { $schema: _, ...input } = rooted(input_schema ?? {})
  const own = objectOf(input.properties)
  const { $schema: __, ...context } = rooted(context_schema ?? {})
  // The context schema has no properties that a model could fill in, or the input has its own `context`.
  if (!isObject(context.properties) || 'context' in own) return { ...input, type: 'object' }
  const described = { description: 'What the run is given beside its input.', ...context }
  const properties = { ...own, context: described } as Tool['inputSchema']['properties']
  return { ...input, type: 'object', properties }
}

/**
 * Removes `x-mcp-header`, which asks clients to repeat an argument in a header: servers that use it must compare both,
 * and clients leave out tools that have it in a wrong place.
 */
function withoutHeaders<T>(schema: T): T {
  const kept = (name: string, value: unknown) =>
    name === 'x-mcp-header' && typeof value === 'string' ? undefined : value
  return parseJson(JSON.stringify(schema, kept))
}

/** Replaces a schema that only refers to one of its definitions by that definition. */
function rooted(schema: JsonObject): JsonObject {
  const [, place, name] = /^#\/(definitions|\$defs)\/([^/]+)$/.exec(String(schema.$ref)) ?? []
  if (!place || !name) return schema
  const { $ref: _, ...rest } = schema
  return { ...rest, ...objectOf(objectOf(schema[place])[name]) }
}

function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {}
}
