/** The verb that copies a thread. */

import type { AgentStore } from '../../core/agent/agent-store.ts'
import type { Caller } from '../../core/agent/authorization.ts'
import type { NewThread, Thread, ThreadState, ThreadTask } from '../../core/agent/thread.ts'
import type { JsonObject } from '../../core/json.ts'
import { newUuid } from '../../core/random/uuid.ts'
import type { Parts } from '../agent-server-parts.ts'
import { authorizeOnThread, authorizeThread, requireThread } from './threads.ts'

/**
 * Makes a new thread with the state and the history of this one, without its runs. Excludes the
 * checkpoints of active runs. Throws `not_found`.
 */
export async function copyThread(
  parts: Pick<Parts, 'store' | 'config' | 'authorize' | 'clock'>,
  caller: Caller,
  thread_id: string,
): Promise<Thread> {
  const filter = await authorizeOnThread(parts, caller, 'read', thread_id)
  const source = await requireThread(parts.store.threads, thread_id, filter)
  const copy_id = newUuid()
  const metadata = { ...source.metadata, thread_id: copy_id }
  const asked = { thread_id: copy_id, metadata, if_exists: 'raise' } as const
  const { thread, filter: ownFilter } = await authorizeThread(parts, caller, asked)
  return parts.store.transaction(async (tx) => {
    const current = await requireThread(tx.threads, thread_id, filter)
    await tx.threads.insert({ ...thread, config: current.config })
    await copyState(tx, current, thread)
    return requireThread(tx.threads, thread.thread_id, ownFilter)
  })
}

async function copyState(tx: AgentStore, source: Thread, copy: NewThread): Promise<void> {
  const { thread_id } = copy
  await tx.checkpoints.copyThread(source.thread_id, thread_id)
  const active = await tx.runs.listActive(source.thread_id)
  for (const { run_id } of active) await tx.checkpoints.deleteRun(thread_id, run_id)
  const state = await tx.threads.getState(source.thread_id)
  if (!state) return
  await tx.threads.update(thread_id, {
    updated_at: copy.created_at,
    status: state.next.length > 0 ? 'interrupted' : 'idle',
    state: moveState(state, thread_id),
  })
}

/** Replaces the thread's id in the state's checkpoints, and in its metadata if that has one. */
function moveState(state: ThreadState, thread_id: string): ThreadState {
  return {
    ...state,
    checkpoint: move(state.checkpoint, thread_id),
    metadata:
      'thread_id' in (state.metadata ?? {}) ? move(state.metadata, thread_id) : state.metadata,
    parent_checkpoint: move(state.parent_checkpoint, thread_id),
    tasks: state.tasks.map((task) => moveTask(task, thread_id)),
  }
}

function moveTask(task: ThreadTask, thread_id: string): ThreadTask {
  const state = task.state && moveState(task.state, thread_id)
  return { ...task, checkpoint: move(task.checkpoint, thread_id), state }
}

function move(named: JsonObject | null, thread_id: string): JsonObject | null {
  return named && { ...named, thread_id }
}
