/**
 * What a graph emits while it runs, as plain JSON. `mode` names the requested mode (`HostMode`) that an emission
 * belongs to; with several modes one step of a graph may give several emissions.
 *
 * Values are what clients see: messages as flat objects (`{type, content, id, …}`), errors as
 * `{error, message}`, dates as ISO 8601, bytes as base64.
 */

import type { JsonObject, JsonValue } from '../../json.ts'
import type { Growth } from './growth.ts'

export type Emission = {
  /**
   * The subgraph that emitted it, each part `node:task`; empty for the graph itself. With `places`, the last part of
   * `messages-tuple` and `tools` is the node that called the model or the tool; without, the language's LangGraph
   * decides. Without `subgraphs` only tasks have a namespace (for `lifecycle`), and what subgraphs emit without being
   * asked (`custom`, `messages`, …) has the root's.
   */
  namespace: string[]
} & (
  | {
      /**
       * LangGraph's own payloads. `debug` and `checkpoints` describe a checkpoint's place as the API does
       * (`checkpoint`, `parent_checkpoint`), without LangGraph's internals.
       */
      mode: 'values' | 'updates' | 'custom' | 'debug' | 'checkpoints' | 'tools' | 'events'
      payload: JsonValue
    }
  | { mode: 'tasks'; payload: TaskPayload }
  | { mode: 'messages-tuple'; payload: MessagePiece }
  | { mode: 'messages'; payload: MessageChange }
  | { mode: 'places'; payload: CheckpointPlace }
  | { mode: 'model_ends'; payload: ModelEnd }
)

/** The start of a task, or (with a `result`) its end. Requested by `tasks` and by `lifecycle`. */
export interface TaskPayload {
  id: string
  name: string
  input?: JsonValue
  triggers?: string[]
  metadata?: JsonObject
  result?: JsonValue
  /** With a result: the task's error, or `null`. */
  error?: string | null
  interrupts?: JsonValue[]
  checkpoint?: JsonObject
}

/** A piece of a model's output, or a whole message that a node returned. */
export interface MessagePiece {
  /** This piece alone. */
  message: JsonObject
  /** LangGraph's, of the call (`langgraph_node`, `ls_provider`, …). */
  metadata: JsonObject
  /** Whether more pieces with the same message `id` may follow. */
  isPiece: boolean
}

/** A step in the life of a message, which the host assembles. */
export type MessageChange =
  /** Its first piece. `metadata`: of the call; absent if the whole message came before. */
  | { kind: 'begun'; message: JsonObject; metadata?: JsonObject }
  /** How the next piece changed it; `null`: not at all. */
  | { kind: 'grown'; id: string; growth: Growth | null }
  /**
   * Messages that the last emitted state is the first to contain, of all namespaces. When the graph is done (`isLast`):
   * those that no state contained.
   */
  | { kind: 'complete'; messages: JsonObject[]; isLast: boolean }

/** The checkpoint of the values that come next. */
export interface CheckpointPlace {
  id: string
  parent_id?: string
  /** -1: the checkpoint that holds the input. */
  step?: number
  source?: string
}

/** A model has finished a message. Some of its pieces may arrive later. */
export type ModelEnd =
  | { id: string; pieces: number }
  | { id: string; failure: { error: string; message: string } }
