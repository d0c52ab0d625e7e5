/** The verbs that read a thread's state. */
import type { Caller } from '../../core/agent/authorization.ts'
import type { GraphStates, StateOptions } from '../../core/agent/host/states.ts'
import type { CheckpointRef } from '../../core/agent/run.ts'
import { EMPTY_STATE, type Thread, type ThreadState } from '../../core/agent/thread.ts'
import { AppError } from '../../core/errors.ts'
import type { Parts } from '../agent-server-parts.ts'
import { openThreadGraph } from './thread-graph.ts'
import { authorizeOnThread, requireThread } from './threads.ts'

/**
 * The thread's state at its last checkpoint. The last run's final state is stored with the thread
 * and returned as it is. Opens the graph only while a run goes on, or for the states of subgraphs.
 * Throws `not_found`.
 */
export async function getThreadState(
  parts: Pick<Parts, 'store' | 'host' | 'authorize'>,
  caller: Caller,
  thread_id: string,
  options: { subgraphs: boolean },
): Promise<ThreadState> {
  const filter = await authorizeOnThread(parts, caller, 'read', thread_id)
  const thread = await requireThread(parts.store.threads, thread_id, filter)
  const kept = await parts.store.threads.getState(thread_id)
  if (thread.status !== 'busy' && !options.subgraphs) return kept ?? EMPTY_STATE
  if (!hasGraph(parts, thread)) return kept ?? EMPTY_STATE
  return readGraphState(await openThreadGraph(parts, thread), thread_id, options)
}

/**
 * The state at one checkpoint, of the root graph or of a subgraph's namespace; without an id, at the
 * latest one there. Throws `not_found`, and `bad_request` if the thread has no graph.
 */
export async function getThreadStateAt(
  parts: Pick<Parts, 'store' | 'host' | 'authorize'>,
  caller: Caller,
  thread_id: string,
  options: { checkpoint: CheckpointRef; subgraphs: boolean },
): Promise<ThreadState> {
  const filter = await authorizeOnThread(parts, caller, 'read', thread_id)
  const thread = await requireThread(parts.store.threads, thread_id, filter)
  const checkpoint = placeOf(options.checkpoint)
  await requireCheckpoint(parts, thread_id, checkpoint)
  const graph = await openThreadGraph(parts, thread)
  const { subgraphs } = options
  return graph.getState({ thread_id, ...checkpoint }, { subgraphs })
}

/** The graph's state at the thread's last checkpoint. */
export function readGraphState(
  graph: GraphStates,
  thread_id: string,
  options: StateOptions = { subgraphs: false },
): Promise<ThreadState> {
  return graph.getState({ thread_id, checkpoint_ns: '' }, options)
}

/** Converts to LangGraph's form. `checkpoint_map` has the checkpoint of each namespace. */
export function placeOf(checkpoint: CheckpointRef): CheckpointRef & { checkpoint_ns: string } {
  const { checkpoint_ns = '', checkpoint_map } = checkpoint
  const checkpoint_id = checkpoint.checkpoint_id ?? checkpoint_map?.[checkpoint_ns]
  return {
    checkpoint_ns,
    ...(typeof checkpoint_id === 'string' && { checkpoint_id }),
    ...(checkpoint_map && { checkpoint_map }),
  }
}

/** Throws `not_found`. Without an id, checks nothing. */
export async function requireCheckpoint(
  parts: Pick<Parts, 'store'>,
  thread_id: string,
  { checkpoint_id, checkpoint_ns }: ReturnType<typeof placeOf>,
): Promise<void> {
  if (checkpoint_id === undefined) return
  const at = { thread_id, checkpoint_ns, checkpoint_id }
  if (await parts.store.checkpoints.get(at)) return
  throw new AppError(
    'not_found',
    `Thread ${thread_id} has no checkpoint "${checkpoint_id}"; its history lists those it has.`,
    { missing: 'checkpoint' },
  )
}

/** An unused thread may have no graph. */
function hasGraph(parts: Pick<Parts, 'host'>, { metadata }: Thread): boolean {
  return parts.host.graphs.has(String(metadata.graph_id))
}
