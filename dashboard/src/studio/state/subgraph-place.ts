/** Where the checkpoints of a graph within the graph lie. */
import type { Checkpoint, ThreadState } from '@langchain/langgraph-sdk'

/** A checkpoint of the graph that calls. */
export type Below = Pick<Checkpoint, 'checkpoint_ns' | 'checkpoint_id'>

/**
 * Whether the subgraph of this namespace keeps its history from call to call (`checkpointer: true`). Else its last part
 * names the task that called it, as in `plan:5c0cb5f7-…`.
 */
export function hasOwnHistory(checkpointNs: string): boolean {
  return ownHistoryOf(checkpointNs) === checkpointNs
}

/** The namespace of the same subgraph if it keeps its history. LangGraph names the task's in any case. */
export function ownHistoryOf(checkpointNs: string): string {
  return checkpointNs.replace(/:[^:|]*$/, '')
}

/** Whether the state of a subgraph is of a call from that checkpoint. */
export function isBelow(
  state: Pick<ThreadState, 'checkpoint'>,
  { checkpoint_ns, checkpoint_id }: Below,
): boolean {
  const map: Record<string, unknown> = state.checkpoint.checkpoint_map ?? {}
  return map[checkpoint_ns] === checkpoint_id
}
