/**
 * What a graph tells while it runs, as plain JSON. `mode` says for which of the modes that were asked
 * for (`HostMode`); with several of them one step of a graph may be told more than once, one emission each.
 *
 * Values are what clients see: messages as flat objects (`{type, content, id, …}`), errors as
 * `{error, message}`, dates as ISO 8601, bytes as base64.
 */

import type { JsonObject, JsonValue } from '../../json.ts'
import type { Growth } from './growth.ts'

export type Emission = {
  /**
   * Of the subgraph that emitted it, each part `node:task`; empty for the graph itself. With `places`,
   * `messages-tuple` and `tools` are told at the node that called the model or the tool, which is the last part;
   * without, where the language's LangGraph tells them. Without `subgraphs`
   * only tasks have one (for `lifecycle`), and what subgraphs tell unasked (`custom`, `messages`, …) has the
   * root's.
   */
  namespace: string[]
} & (
  | {
      /**
       * LangGraph's own payloads. `debug` and `checkpoints` say as the API does where a checkpoint is
       * (`checkpoint`, `parent_checkpoint`), and nothing that only LangGraph has to know.
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

/** That a task begins, or (with a `result`) how it has ended. Asked for by `tasks` and by `lifecycle`. */
export interface TaskPayload {
  id: string
  name: string
  input?: JsonValue
  triggers?: string[]
  metadata?: JsonObject
  result?: JsonValue
  /** With a result: what the task failed with, `null` where it has not. */
  error?: string | null
  interrupts?: JsonValue[]
  checkpoint?: JsonObject
}

/** What a model writes, or a whole message that a node answered with. */
export interface MessagePiece {
  /** This piece alone. */
  message: JsonObject
  /** LangGraph's of the call (`langgraph_node`, `ls_provider`, …). */
  metadata: JsonObject
  /** Whether more of the same message, by its `id`, may follow. */
  isPiece: boolean
}

/** How a message comes to be, put together by the host. */
export type MessageChange =
  /** Its first piece. `metadata`: of the call; absent where the message had come whole before. */
  | { kind: 'begun'; message: JsonObject; metadata?: JsonObject }
  /** What the next piece has made of it; `null`: nothing. */
  | { kind: 'grown'; id: string; growth: Growth | null }
  /**
   * Messages that stand in the state that was just told, and in none before it; of all namespaces. At the end
   * of a graph that is done (`isLast`): those that never came to stand in one.
   */
  | { kind: 'complete'; messages: JsonObject[]; isLast: boolean }

/** Where the values stand that come next. */
export interface CheckpointPlace {
  id: string
  parent_id?: string
  /** -1: the checkpoint that holds the input. */
  step?: number
  source?: string
}

/** A model is done with a message. Pieces of it may be on their way. */
export type ModelEnd =
  | { id: string; pieces: number }
  | { id: string; failure: { error: string; message: string } }
