/** The verb that answers what a thread's state was. */
import type { Caller } from '../core/authorization.ts'
import type { JsonObject } from '../core/json.ts'
import type { CheckpointRef } from '../core/run.ts'
import type { ThreadState } from '../core/thread.ts'
import { toThreadState } from '../graph/state.ts'
import type { Parts } from './parts.ts'
import { placeOf } from './state.ts'
import { openThreadGraph } from './thread-graph.ts'
import { authorizeOnThread, requireThread } from './threads.ts'

export interface HistoryQuery {
  limit: number
  /** Only checkpoints older than the one with this id. */
  before?: string
  /** Every key equal. */
  metadata?: JsonObject
  /** `checkpoint_ns`: of that subgraph; `checkpoint_id`: only this one. */
  checkpoint: CheckpointRef
}

/** The states at the thread's checkpoints, newest first. Throws `not_found`, `bad_request`. */
export async function listThreadHistory(
  parts: Parts,
  caller: Caller,
  thread_id: string,
  query: HistoryQuery,
): Promise<ThreadState[]> {
  const filter = await authorizeOnThread(parts, caller, 'read', thread_id)
  const thread = await requireThread(parts.store.threads, thread_id, filter)
  if ((await parts.store.checkpoints.latestId(thread_id)) === undefined) return []
  const graph = await openThreadGraph(parts, thread)
  const config = { configurable: { thread_id, ...placeOf(query.checkpoint) } }
  const states: ThreadState[] = []
  for await (const snapshot of graph.getStateHistory(config, optionsOf(thread_id, query))) {
    states.push(toThreadState(snapshot))
  }
  return states
}

function optionsOf(thread_id: string, { limit, before, metadata }: HistoryQuery): object {
  return {
    limit,
    ...(before !== undefined && {
      before: { configurable: { thread_id, checkpoint_id: before } },
    }),
    ...(metadata && { filter: metadata }),
  }
}
