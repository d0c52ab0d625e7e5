/** Each graph has a system assistant, so that a graph's name is also an assistant's. */
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
import type { Parts } from '../agent-server-parts.ts'

/** Caches ids: each run needs one twice, and a hash takes 10 to 25 µs. */
const ids = new Map<string, string>()
/** Clients may send any name, so the cache has a limit. */
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

/** Whether the assistant is the system assistant of a graph of the project. Such an assistant cannot be deleted. */
export function isSystemAssistant(
  parts: Pick<Parts, 'host'>,
  { assistant_id, graph_id }: Pick<Assistant, 'assistant_id' | 'graph_id'>,
): boolean {
  return parts.host.graphs.has(graph_id) && assistant_id === systemAssistantId(graph_id)
}

/**
 * Registers an assistant of the same name for each of the project's graphs, at every start. Version 1
 * always has the project's current settings. A later version made by a user stays in force.
 * `configs`, by graph, override the project's settings; a `context` in them is the assistant's.
 */
export async function registerSystemAssistants(
  parts: Parts,
  configs: Readonly<Record<string, JsonObject>>,
): Promise<void> {
  const now = timestamp(parts.clock)
  for (const graph of parts.host.graphs.values()) {
    const { context = graph.context ?? {}, ...over } = configs[graph.graph_id] ?? {}
    const config = { ...graph.config, ...over }
    await register(parts, { ...systemAssistant(graph, now), config, context })
  }
}

async function register(parts: Parts, assistant: Assistant): Promise<void> {
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
