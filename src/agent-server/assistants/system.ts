/** The assistant that each graph has by itself, so that a graph's name is an assistant's too. */
import { v5 as uuidV5 } from 'uuid'
import { lockOf } from '../../core/agent/agent-store.ts'
import {
  type Assistant,
  hasSameContent,
  SYSTEM_ASSISTANT_NAMESPACE,
} from '../../core/agent/assistant.ts'
import type { GraphInfo } from '../../core/agent/host/description.ts'
import { timestamp } from '../../core/clock.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Parts } from '../parts.ts'

/** Ids that were asked for: each run asks for one twice, and a hash takes 10 to 25 µs. */
const ids = new Map<string, string>()
/** Clients may ask for any name. */
const MOST_IDS = 1000

/** The id of a graph's system assistant. */
export function systemAssistantId(graph_id: string): string {
  const known = ids.get(graph_id)
  if (known !== undefined) return known
  const id = uuidV5(graph_id.toWellFormed(), SYSTEM_ASSISTANT_NAMESPACE)
  if (ids.size >= MOST_IDS) ids.clear()
  ids.set(graph_id, id)
  return id
}

/** Whether it belongs to one of the project's graphs, and therefore stays as long as the graph. */
export function isSystemAssistant(
  parts: Pick<Parts, 'host'>,
  { assistant_id, graph_id }: Pick<Assistant, 'assistant_id' | 'graph_id'>,
): boolean {
  return parts.host.graphs.has(graph_id) && assistant_id === systemAssistantId(graph_id)
}

/**
 * Makes each of the project's graphs an assistant of the same name, at every start. Its version 1
 * is always what the project says now. A version that a user made meanwhile stays in force.
 * `configs`, by graph, win over what the project says; a `context` in one of them is the assistant's.
 */
export async function registerSystemAssistants(
  parts: Pick<Parts, 'store' | 'host' | 'clock'>,
  configs: Readonly<Record<string, JsonObject>>,
): Promise<void> {
  const now = timestamp(parts.clock)
  for (const graph of parts.host.graphs.values()) {
    const { context = graph.context ?? {}, ...over } = configs[graph.graph_id] ?? {}
    const config = { ...graph.config, ...over }
    await register(parts, { ...systemAssistant(graph, now), config, context })
  }
}

async function register(parts: Pick<Parts, 'store'>, assistant: Assistant): Promise<void> {
  await parts.store.transaction(
    async ({ assistants }) => {
      if (await assistants.insert(assistant)) return
      await assistants.putVersion(assistant)
      const stored = await assistants.get(assistant.assistant_id)
      const isInForce = stored?.version === assistant.version
      if (isInForce && !hasSameContent(stored, assistant)) await assistants.update(assistant)
    },
    [lockOf('assistant', assistant.assistant_id)],
  )
}

function systemAssistant(graph: GraphInfo, now: string): Assistant {
  const { graph_id, description } = graph
  return {
    assistant_id: systemAssistantId(graph_id),
    graph_id,
    config: {},
    context: {},
    metadata: { created_by: 'system' },
    name: graph_id,
    description,
    version: 1,
    created_at: now,
    updated_at: now,
  }
}
