/** The verb that adds a thread. */
import { type AgentStore, lockOf } from '../../core/agent/agent-store.ts'
import { type Caller, matchesFilter } from '../../core/agent/authorization.ts'
import type { Superstep } from '../../core/agent/host/states.ts'
import type { NewThread, Thread } from '../../core/agent/thread.ts'
import { AppError } from '../../core/errors.ts'
import { requireMetadataFits } from '../limits.ts'
import type { Parts } from '../parts.ts'
import { type StagedState, stageState } from './state-update.ts'
import { authorizeThread, type ThreadRequest } from './threads.ts'

/**
 * Adds a thread, or returns the existing one. `supersteps` are its initial history, made by the graph
 * that the metadata name. Throws `conflict`, and with `supersteps` `bad_request` (no graph) and
 * `invalid` (the graph does not take them).
 */
export async function createThread(
  parts: Pick<Parts, 'store' | 'config' | 'host' | 'authorize' | 'limits' | 'clock' | 'log'>,
  caller: Caller,
  request: ThreadRequest & { supersteps?: Superstep[] },
): Promise<Thread> {
  const { thread, filter } = await authorizeThread(parts, caller, request)
  requireMetadataFits(parts.limits, thread.metadata)
  const beginning = await stageBeginning(parts, thread, request.supersteps)
  return parts.store.transaction(
    async (tx) => {
      const isNew = await tx.threads.insert(thread)
      if (isNew && beginning) await beginWith(tx, thread, beginning)
      const stored = await tx.threads.get(thread.thread_id)
      const isVisible = stored && matchesFilter(stored.metadata, filter)
      if (isVisible && (isNew || request.if_exists === 'do_nothing')) return stored
      throw new AppError('conflict', `Thread "${thread.thread_id}" already exists.`)
    },
    [lockOf('thread', thread.thread_id)],
  )
}

/** An existing thread keeps its history. */
async function stageBeginning(
  parts: Pick<Parts, 'store' | 'host' | 'log'>,
  thread: NewThread,
  supersteps: Superstep[] = [],
): Promise<StagedState | undefined> {
  if (supersteps.length === 0) return undefined
  if (await parts.store.threads.get(thread.thread_id)) return undefined
  return stageState(parts, thread, {}, supersteps)
}

async function beginWith(
  tx: AgentStore,
  { thread_id, created_at }: NewThread,
  { staged, patch }: StagedState,
): Promise<void> {
  await staged.commit(tx.checkpoints)
  await tx.threads.update(thread_id, { updated_at: created_at, ...patch })
}
