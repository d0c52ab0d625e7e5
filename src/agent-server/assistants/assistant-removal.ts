/** The verb that removes an assistant. */
import { lockOf } from '../../core/agent/agent-store.ts'
import type { Caller, MetadataFilter } from '../../core/agent/authorization.ts'
import { AppError } from '../../core/errors.ts'
import type { Parts } from '../agent-server-parts.ts'
import { announceCancelled, cancelRuns } from '../runs/cancel.ts'
import { announceRemoved, removeThread } from '../threads/thread-removal.ts'
import { requireAssistant } from './assistants.ts'
import { isSystemAssistant } from './system.ts'

/**
 * Removes the assistant and its versions, and ends its runs. With `delete_threads` also removes the
 * threads of its runs that the caller may delete. Returns the assistant's id. Throws `not_found`, and
 * `conflict` for a graph's system assistant.
 */
export async function deleteAssistant(
  parts: Parts,
  caller: Caller,
  id: string,
  { delete_threads }: { delete_threads: boolean },
): Promise<string> {
  const event = { resource: 'assistants', action: 'delete' } as const
  const filter = await parts.authorize(caller, event, { assistant_id: id })
  const assistant_id = await removeAssistant(parts, id, filter)
  if (delete_threads) await deleteThreads(parts, caller, assistant_id)
  return assistant_id
}

/** The `cancel_reason` of its runs. */
const ASSISTANT_GONE = 'assistant_deleted: its assistant was removed'

/** Ends the runs in the same transaction, so that a crash leaves no run without its assistant. */
async function removeAssistant(
  parts: Parts,
  id: string,
  filter: MetadataFilter | undefined,
): Promise<string> {
  const { assistant_id, cancelled } = await parts.store.transaction(async (tx) => {
    const assistant = await requireAssistant(tx.assistants, id, filter)
    if (isSystemAssistant(parts, assistant)) throw isPartOfGraph(assistant.graph_id)
    const { assistant_id } = assistant
    await tx.assistants.delete(assistant_id)
    const runs = await tx.runs.listActiveOf(assistant_id)
    const cancellation = { action: 'interrupt', reason: ASSISTANT_GONE } as const
    return { assistant_id, cancelled: await cancelRuns(tx, runs, cancellation, parts.clock.now()) }
  })
  announceCancelled(parts, cancelled)
  return assistant_id
}

function isPartOfGraph(graph_id: string): AppError {
  return new AppError(
    'conflict',
    `The assistant of the graph "${graph_id}" stays as long as the graph: take the graph out of ` +
      'langgraph.json to remove both.',
  )
}

/** How many threads are looked up at once. */
const BATCH = 100

/** Removes each thread in its own transaction. If the server dies in between, another call removes the rest. */
async function deleteThreads(parts: Parts, caller: Caller, assistant_id: string): Promise<void> {
  const value = { metadata: { assistant_id } }
  const event = { resource: 'threads', action: 'delete' } as const
  const filter = await parts.authorize(caller, event, value)
  const query = { metadata: { assistant_id }, ...(filter && { filter }) }
  const { threads: store, transaction } = parts.store
  const page = { sort_by: 'thread_id', sort_order: 'asc', limit: BATCH, offset: 0 } as const
  for (;;) {
    const threads = await store.search(query, { ...page, hasState: false })
    for (const { thread_id } of threads) {
      const now = parts.clock.now()
      const lock = lockOf('thread', thread_id)
      const cancelled = await transaction((tx) => removeThread(tx, thread_id, now), [lock])
      announceRemoved(parts, thread_id, cancelled)
    }
    if (threads.length < BATCH) return
  }
}
