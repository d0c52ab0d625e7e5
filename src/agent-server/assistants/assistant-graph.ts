/** Describes the graph of an assistant. */

import type { Assistant } from '../../core/agent/assistant.ts'
import type { Caller } from '../../core/agent/authorization.ts'
import type { Drawing, GraphSchemas } from '../../core/agent/host/description.ts'
import type { GraphConfig, OpenGraph } from '../../core/agent/host/graph-host.ts'
import { AppError } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Parts } from '../agent-server-parts.ts'
import { getAssistant } from './assistants.ts'

/**
 * Throws `not_found` if the assistant is missing or the project no longer has its graph, `bad_request`
 * when the project's code fails.
 */
export async function drawAssistant(
  parts: Parts,
  caller: Caller,
  id: string,
  xray: boolean | number,
): Promise<Drawing> {
  const assistant = await getAssistant(parts, caller, id)
  return withGraph(parts, assistant, (graph) => graph.draw(xray))
}

/** A graph's schemas under its name. Throws like `drawAssistant`. */
export async function getAssistantSchemas(
  parts: Parts,
  caller: Caller,
  id: string,
): Promise<{ graph_id: string } & GraphSchemas> {
  const assistant = await getAssistant(parts, caller, id)
  const { graph } = await describe(parts, assistant)
  return { graph_id: assistant.graph_id, ...graph }
}

/**
 * Whether the input of the assistant's graph has `messages`; `true` if its input is unknown. The caller
 * must have been allowed to run the assistant. Throws `not_found` if the project no longer has the
 * graph, `bad_request` when the project's code fails.
 */
export async function takesMessages(parts: Parts, assistant: Assistant): Promise<boolean> {
  const { input } = await withGraph(parts, assistant, (graph) => graph.names())
  return !input || input.includes('messages')
}

/**
 * The graph's subgraphs by path (`node|node`). With `recurse`, nested subgraphs too; with `namespace`,
 * only that one, at any depth. `graph_id` is the id of the assistant's graph. Throws like
 * `drawAssistant`.
 */
export async function getSubgraphs(
  parts: Parts,
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

function describe(parts: Parts, assistant: Assistant) {
  return withGraph(parts, assistant, (graph) => graph.schemas())
}

async function withGraph<T>(
  parts: Parts,
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

/** The config for a graph's factory without a run. */
function configOf({ assistant_id, graph_id, config }: Assistant): GraphConfig {
  const { tags, configurable } = config
  return {
    ...(tags !== undefined && { tags: tags as string[] }),
    configurable: { ...(configurable as JsonObject | undefined), assistant_id, graph_id },
  }
}
