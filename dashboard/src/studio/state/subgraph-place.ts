/** The location of a subgraph's checkpoints. */
import type { Checkpoint, ThreadState } from '@langchain/langgraph-sdk'

/** A checkpoint of the calling graph. */
export type Below = Pick<Checkpoint, 'checkpoint_ns' | 'checkpoint_id'>

/**
 * Whether the subgraph of this namespace keeps its history across calls (`checkpointer: true`). Otherwise the
 * namespace's last part names the calling task, as in `plan:5c0cb5f7-…`.
 */
export function hasOwnHistory(checkpointNs: string): boolean {
  return ownHistoryOf(checkpointNs) === checkpointNs
}

/** The namespace of the same subgraph if it keeps its history. LangGraph always returns the task's namespace. */
export function ownHistoryOf(checkpointNs: string): string {
  return checkpointNs.replace(/:[^:|]*$/, '')
}

/** Whether the subgraph's state belongs to a call from that checkpoint. */
export function isBelow(
  state: Pick<ThreadState, 'checkpoint'>,
  { checkpoint_ns, checkpoint_id }: Below,
): boolean {
  const map: Record<string, unknown> = state.checkpoint.checkpoint_map ?? {}
  return map[checkpoint_ns] === checkpoint_id
}
