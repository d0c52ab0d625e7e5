/** An assistant: a graph with a configuration and a name. */
import type { JsonObject, JsonValue } from './json.ts'

/** The fields of an assistant on the wire. */
export interface Assistant {
  assistant_id: string
  graph_id: string
  config: JsonObject
  context: JsonValue
  metadata: JsonObject
  name: string
  description: string | null
  version: number
  created_at: string
  updated_at: string
}

/** The namespace of system assistants' ids: uuid v5 of the graph's name (facts, section 1.1). */
export const SYSTEM_ASSISTANT_NAMESPACE = '6ba7b821-9dad-11d1-80b4-00c04fd430c8'

/** The assistants of one database. */
export interface AssistantStore {
  get(assistant_id: string): Promise<Assistant | undefined>
  /** Adds the assistant; where its id exists, sets graph, name and description and keeps the rest. */
  upsertSystem(assistant: Assistant): Promise<void>
}
