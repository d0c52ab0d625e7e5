/** The verbs on threads. */

import { type AgentStore, lockOf } from '../../core/agent/agent-store.ts'
import {
  type AuthorizationEvent,
  type Caller,
  type MetadataFilter,
  matchesFilter,
} from '../../core/agent/authorization.ts'
import type { StorageUse } from '../../core/agent/checkpoint.ts'
import type {
  NewThread,
  Thread,
  ThreadState,
  ThreadStore,
  ThreadTask,
  ThreadTtl,
} from '../../core/agent/thread.ts'
import { timestamp } from '../../core/clock.ts'
import { AppError } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json.ts'
import { newUuid } from '../../core/uuid.ts'
import type { Parts } from '../agent-server-parts.ts'
import { requireMetadataFits } from '../limits.ts'

export interface ThreadRequest {
  /** Default: a random one. */
  thread_id?: string
  metadata: JsonObject
  /** If the id exists: `raise` throws `conflict`, `do_nothing` returns the existing thread. */
  if_exists: 'raise' | 'do_nothing'
  /** Default: the TTL of `langgraph.json`, or none. */
  ttl?: ThreadTtl
}

/** Throws `not_found`. */
export async function getThread(
  parts: Pick<Parts, 'store' | 'authorize'>,
  caller: Caller,
  thread_id: string,
): Promise<Thread> {
  const filter = await authorizeOnThread(parts, caller, 'read', thread_id)
  return requireThread(parts.store.threads, thread_id, filter)
}

/** The thread's TTL and its expiry if it does not change. `null`: the thread never expires. */
export async function readTtl(
  { store }: Pick<Parts, 'store'>,
  { thread_id, updated_at }: Thread,
): Promise<(ThreadTtl & { expires_at: string }) | null> {
  const ttl = await store.threads.getTtl(thread_id)
  if (!ttl) return null
  const expiresAt = Date.parse(updated_at) + Math.round(ttl.ttl_minutes * 60_000)
  return { ...ttl, expires_at: new Date(expiresAt).toISOString() }
}

/** A change of a thread; `metadata` is merged key by key. */
interface ThreadChange {
  metadata?: JsonObject
  ttl?: ThreadTtl
}

/** Throws `not_found`. */
export async function patchThread(
  parts: Pick<Parts, 'store' | 'authorize' | 'limits' | 'clock'>,
  caller: Caller,
  thread_id: string,
  change: ThreadChange,
): Promise<Thread> {
  const value = { thread_id, metadata: { ...change.metadata } }
  const filter = await parts.authorize(caller, { resource: 'threads', action: 'update' }, value)
  return parts.store.transaction(
    async ({ threads }) => {
      const { metadata: before } = await requireThread(threads, thread_id, filter)
      const metadata = { ...before, ...value.metadata }
      requireMetadataFits(parts.limits, metadata, before)
      await threads.update(thread_id, {
        updated_at: timestamp(parts.clock),
        metadata,
        ...(change.ttl && { ttl: change.ttl }),
      })
      return requireThread(threads, thread_id, undefined)
    },
    [lockOf('thread', thread_id)],
  )
}

/** Checks whether the caller may add this thread. The project's auth may change its metadata. */
export async function authorizeThread(
  parts: Pick<Parts, 'config' | 'authorize' | 'clock'>,
  caller: Caller,
  request: ThreadRequest,
): Promise<{ thread: NewThread; filter: MetadataFilter | undefined }> {
  const value = {
    thread_id: request.thread_id ?? newUuid(),
    metadata: { ...request.metadata },
    if_exists: request.if_exists,
  }
  const filter = await parts.authorize(caller, { resource: 'threads', action: 'create' }, value)
  const { thread_id, metadata } = value
  const ttl = request.ttl ?? parts.config.ttl.defaultTtl
  const created_at = timestamp(parts.clock)
  return { thread: { thread_id, metadata, config: {}, created_at, ...(ttl && { ttl }) }, filter }
}

type ThreadAction = Extract<AuthorizationEvent, { resource: 'threads' }>['action']

/**
 * Checks whether the caller may do this to the thread. Returns the filter for threads the caller may
 * see. `more`: further values for the project's auth.
 */
export async function authorizeOnThread(
  parts: Pick<Parts, 'authorize'>,
  caller: Caller,
  action: ThreadAction,
  thread_id: string,
  more: Record<string, unknown> = {},
): Promise<MetadataFilter | undefined> {
  return parts.authorize(caller, { resource: 'threads', action }, { thread_id, ...more })
}

/** Finds the thread. Throws `not_found` if it does not exist or the caller may not see it. */
export async function requireThread(
  threads: ThreadStore,
  thread_id: string,
  filter: MetadataFilter | undefined,
  options: { isDropped?: boolean } = {},
): Promise<Thread> {
  const thread = await threads.get(thread_id, options)
  if (thread && matchesFilter(thread.metadata, filter)) return thread
  throw threadNotFound(thread_id)
}

export function threadNotFound(thread_id: string): AppError {
  return new AppError('not_found', `Thread with ID ${thread_id} not found.`)
}

/** The size of the thread's history in the database, in bytes. Throws `not_found`. */
export async function measureThread(
  parts: Pick<Parts, 'store' | 'authorize'>,
  caller: Caller,
  thread_id: string,
): Promise<StorageUse & { thread_id: string; total_bytes: number }> {
  await getThread(parts, caller, thread_id)
  const use = await parts.store.checkpoints.measure(thread_id)
  const { checkpoints, channel_values, pending_writes } = use
  const total_bytes = checkpoints.bytes + channel_values.bytes + pending_writes.bytes
  return { thread_id, total_bytes, ...use }
}

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
