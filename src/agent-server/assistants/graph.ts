/** The graph of an assistant, described. */

import type { Assistant } from '../../core/agent/assistant.ts'
import type { Caller } from '../../core/agent/authorization.ts'
import type { Drawing, GraphSchemas } from '../../core/agent/host/description.ts'
import type { GraphConfig, OpenGraph } from '../../core/agent/host/graph-host.ts'
import { AppError } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Parts } from '../parts.ts'
import { getAssistant } from './verbs.ts'

/**
 * Throws `not_found` for the assistant and where its graph is no more in the project, `bad_request`
 * when the project's code fails.
 */
export async function drawAssistant(
  parts: Pick<Parts, 'store' | 'host' | 'authorize'>,
  caller: Caller,
  id: string,
  xray: boolean | number,
): Promise<Drawing> {
  const assistant = await getAssistant(parts, caller, id)
  return withGraph(parts, assistant, (graph) => graph.draw(xray))
}

/** A graph's schemas under its name. Throws like `drawAssistant`. */
export async function getAssistantSchemas(
  parts: Pick<Parts, 'store' | 'host' | 'authorize' | 'log'>,
  caller: Caller,
  id: string,
): Promise<{ graph_id: string } & GraphSchemas> {
  const assistant = await getAssistant(parts, caller, id)
  const { graph } = await describe(parts, assistant)
  return { graph_id: assistant.graph_id, ...graph }
}

/**
 * Whether the graph of an assistant that the caller may run has `messages` in its input; where nothing
 * is known of it, yes. Throws `not_found` where the graph is no more in the project, `bad_request` when
 * the project's code fails.
 */
export async function takesMessages(
  parts: Pick<Parts, 'host'>,
  assistant: Assistant,
): Promise<boolean> {
  const { input } = await withGraph(parts, assistant, (graph) => graph.names())
  return !input || input.includes('messages')
}

/**
 * The subgraphs by the way to them (`node|node`): those of the graph itself; with `recurse` theirs
 * too; with `namespace` that one alone, at any depth. `graph_id` is that of the graph they are part of.
 * Throws like `drawAssistant`.
 */
export async function getSubgraphs(
  parts: Pick<Parts, 'store' | 'host' | 'authorize' | 'log'>,
  caller: Caller,
  id: string,
  { namespace, recurse }: { namespace?: string; recurse: boolean },
): Promise<Record<string, { graph_id: string } & GraphSchemas>> {
  const assistant = await getAssistant(parts, caller, id)
  const { subgraphs } = await describe(parts, assistant)
  const isWanted = (path: string) =>
    namespace === undefined ? recurse || !path.includes('|') : path === namespace
  const { graph_id } = assistant
  const wanted = Object.entries(subgraphs).filter(([path]) => isWanted(path))
  return Object.fromEntries(wanted.map(([path, schemas]) => [path, { graph_id, ...schemas }]))
}

function describe(parts: Pick<Parts, 'host'>, assistant: Assistant) {
  return withGraph(parts, assistant, (graph) => graph.schemas())
}

async function withGraph<T>(
  parts: Pick<Parts, 'host'>,
  assistant: Assistant,
  use: (graph: OpenGraph) => Promise<T>,
): Promise<T> {
  const { graph_id } = assistant
  if (!parts.host.graphs.has(graph_id))
    throw new AppError('not_found', `The graph "${graph_id}" is not in this project.`)
  try {
    return await use(await parts.host.open(graph_id, configOf(assistant)))
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    const message = `The graph "${graph_id}" cannot be described: ${reason}`
    throw new AppError('bad_request', message, { cause })
  }
}

/** What a graph's factory is called with when there is no run. */
function configOf({ assistant_id, graph_id, config }: Assistant): GraphConfig {
  const { tags, configurable } = config
  return {
    ...(tags !== undefined && { tags: tags as string[] }),
    configurable: { ...(configurable as JsonObject | undefined), assistant_id, graph_id },
  }
}
