/** The verb that changes the metadata of a thread's state. */
import { type AgentStore, lockOf } from '../../core/agent/agent-store.ts'
import type { Caller } from '../../core/agent/authorization.ts'
import type { ThreadState } from '../../core/agent/thread.ts'
import { timestamp } from '../../core/clock.ts'
import type { JsonObject } from '../../core/json.ts'
import { requireMetadataFits } from '../limits.ts'
import type { Parts } from '../parts.ts'
import { requireThread } from '../threads/verbs.ts'
import { requireFree } from './update.ts'

/**
 * Merges into the metadata of the thread and of its last checkpoint; LangGraph's own keys there
 * stay. Throws `not_found`, and `conflict` while the thread is busy.
 */
export async function patchThreadState(
  parts: Pick<Parts, 'store' | 'authorize' | 'limits' | 'clock'>,
  caller: Caller,
  thread_id: string,
  metadata: JsonObject,
): Promise<void> {
  const value = { thread_id, metadata: { ...metadata } }
  const filter = await parts.authorize(caller, { resource: 'threads', action: 'update' }, value)
  await parts.store.transaction(
    async (tx) => {
      const thread = await requireThread(tx.threads, thread_id, filter)
      await requireFree(tx, thread_id)
      const merged = { ...thread.metadata, ...value.metadata }
      requireMetadataFits(parts.limits, merged, thread.metadata)
      const state = await patchCheckpoint(tx, thread_id, value.metadata)
      await tx.threads.update(thread_id, {
        updated_at: timestamp(parts.clock),
        metadata: merged,
        ...(state && { state }),
      })
    },
    [lockOf('thread', thread_id)],
  )
}

/** Metadata keys that LangGraph writes to a checkpoint and needs to continue. */
const OWN_METADATA = ['source', 'step', 'writes', 'parents', 'run_id', 'thread_id']

/** Returns the thread's stored state with the same change. */
async function patchCheckpoint(
  tx: AgentStore,
  thread_id: string,
  metadata: JsonObject,
): Promise<ThreadState | undefined> {
  const entries = Object.entries(metadata).filter(([key]) => !OWN_METADATA.includes(key))
  const patch = Object.fromEntries(entries)
  const checkpoint_id = await tx.checkpoints.latestId(thread_id)
  if (checkpoint_id === undefined) return undefined
  await tx.checkpoints.patchMetadata({ thread_id, checkpoint_ns: '', checkpoint_id }, patch)
  const state = await tx.threads.getState(thread_id)
  return state && { ...state, metadata: { ...state.metadata, ...patch } }
}
