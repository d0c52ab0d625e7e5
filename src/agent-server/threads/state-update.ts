/**
 * The verbs that change a thread's state without a run. The graph works in memory. Its result is stored
 * with the thread in one transaction, unless a run or another update came first.
 */
import { type AgentStore, lockOf } from '../../core/agent/agent-store.ts'
import type { Caller, MetadataFilter } from '../../core/agent/authorization.ts'
import { STATE_UPDATE_EVENT } from '../../core/agent/event.ts'
import type {
  GraphStates,
  StatePlace,
  StateUpdate,
  Superstep,
} from '../../core/agent/host/states.ts'
import type { CheckpointRef } from '../../core/agent/run.ts'
import type { ThreadPatch, ThreadState } from '../../core/agent/thread.ts'
import { timestamp } from '../../core/clock.ts'
import { AppError, invalidField } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Parts } from '../agent-server-parts.ts'
import { requireMetadataFits } from '../limits.ts'
import { fieldsWhere } from '../operations/given.ts'
import {
  type GraphThread,
  openThreadGraph,
  placeOf,
  readGraphState,
  requireCheckpoint,
} from './state.ts'
import { StagedCheckpoints } from './thread-checkpoints.ts'
import { authorizeOnThread, requireThread } from './threads.ts'

/** A new state that is not stored yet. */
export interface StagedState {
  /** The checkpoint that was written. */
  checkpoint: JsonObject
  patch: Omit<ThreadPatch, 'updated_at'>
  staged: StagedCheckpoints
}

/** How often an update is tried while other updates come first. */
const MAX_ATTEMPTS = 50

/**
 * Writes a checkpoint with these values after the thread's last one, or after the one named. Returns the
 * new checkpoint's place. Throws `not_found`, `bad_request` (no graph), `invalid` (the graph does not
 * take it) and `conflict` while the thread is busy.
 */
export async function updateThreadState(
  parts: Pick<Parts, 'store' | 'host' | 'events' | 'authorize' | 'clock' | 'log'>,
  caller: Caller,
  thread_id: string,
  request: StateUpdate & { checkpoint: CheckpointRef },
): Promise<JsonObject> {
  const filter = await authorizeOnThread(parts, caller, 'update', thread_id)
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const checkpoint = await tryUpdate(parts, thread_id, filter, request)
    if (checkpoint) return checkpoint
  }
  throw new AppError(
    'conflict',
    `The state of thread ${thread_id} is updated by too many at once; try again.`,
  )
}

/** `undefined`: the thread has changed meanwhile. */
async function tryUpdate(
  parts: Pick<Parts, 'store' | 'host' | 'events' | 'clock' | 'log'>,
  thread_id: string,
  filter: MetadataFilter | undefined,
  { checkpoint, ...update }: StateUpdate & { checkpoint: CheckpointRef },
): Promise<JsonObject | undefined> {
  const { store } = parts
  const thread = await requireThread(store.threads, thread_id, filter)
  await requireFree(store, thread_id)
  const place = placeOf(checkpoint)
  await requireCheckpoint(parts, thread_id, place)
  const heads = await readHeads(store, thread_id, place)
  const next = await stageState(parts, thread, place, [{ updates: [update] }])
  const written = await store.transaction(
    async (tx) => {
      await requireThread(tx.threads, thread_id, filter)
      await requireFree(tx, thread_id)
      if ((await readHeads(tx, thread_id, place)) !== heads) return undefined
      await next.staged.commit(tx.checkpoints)
      await tx.threads.update(thread_id, { updated_at: timestamp(parts.clock), ...next.patch })
      const data = JSON.stringify({ state: next.patch.state, thread_id })
      const to = { thread_id, created_at: parts.clock.now() }
      await tx.events.appendToThread(to, [{ event: STATE_UPDATE_EVENT, data }])
      return next.checkpoint
    },
    [lockOf('thread', thread_id)],
  )
  if (written) parts.events.announceThread(thread_id)
  return written
}

/** The checkpoints that an update continues from: the root's and the namespace's latest. */
async function readHeads(
  { checkpoints }: AgentStore,
  thread_id: string,
  { checkpoint_ns }: ReturnType<typeof placeOf>,
): Promise<string> {
  const root = await checkpoints.latestId(thread_id)
  return `${root} ${await checkpoints.latestId(thread_id, checkpoint_ns)}`
}

/** Runs the steps in the graph, in memory. Throws `bad_request`, `invalid`. */
export async function stageState(
  parts: Pick<Parts, 'store' | 'host' | 'log'>,
  thread: GraphThread,
  place: CheckpointRef,
  supersteps: Superstep[],
): Promise<StagedState> {
  const { thread_id } = thread
  const staged = new StagedCheckpoints(parts.store.checkpoints)
  const graph = await openThreadGraph(parts, thread, staged)
  const at = { thread_id, checkpoint_ns: '', ...place }
  const written = await applySteps(parts, graph, at, supersteps)
  const state = await readGraphState(graph, thread_id)
  const { checkpoint_ns = '', checkpoint_id, checkpoint_map } = written
  return {
    checkpoint: {
      thread_id,
      checkpoint_ns,
      checkpoint_id: checkpoint_id ?? null,
      checkpoint_map: checkpoint_map ?? null,
    },
    patch: { state, status: statusOf(state), error: null },
    staged,
  }
}

/** Throws `conflict` while runs of the thread are pending or running. */
async function requireFree(store: AgentStore, thread_id: string): Promise<void> {
  const [active] = await store.runs.listActive(thread_id)
  if (!active) return
  throw new AppError(
    'conflict',
    `Thread is busy: run ${active.run_id} of thread ${thread_id} is ${active.status}. Wait for it or cancel it.`,
  )
}

async function applySteps(
  parts: Pick<Parts, 'log'>,
  graph: GraphStates,
  place: StatePlace,
  supersteps: Superstep[],
): Promise<StatePlace> {
  try {
    return await graph.updateState(place, supersteps)
  } catch (error) {
    if (error instanceof AppError) throw error
    const message = error instanceof Error ? error.message : String(error)
    parts.log.debug({ err: error }, 'a graph did not take an update of its state')
    throw invalidField(['body'], `The graph does not take this update: ${message}`, 'state_update')
  }
}

function statusOf(state: ThreadState): 'idle' | 'interrupted' {
  return state.next.length > 0 ? 'interrupted' : 'idle'
}

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
  const patch = fieldsWhere(metadata, (key) => !OWN_METADATA.includes(key))
  const checkpoint_id = await tx.checkpoints.latestId(thread_id)
  if (checkpoint_id === undefined) return undefined
  await tx.checkpoints.patchMetadata({ thread_id, checkpoint_ns: '', checkpoint_id }, patch)
  const state = await tx.threads.getState(thread_id)
  return state && { ...state, metadata: { ...state.metadata, ...patch } }
}
