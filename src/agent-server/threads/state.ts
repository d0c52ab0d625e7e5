/** The verbs that read a thread's state, and the graph that reads and writes it. */
import type { Caller } from '../../core/agent/authorization.ts'
import type { GraphCheckpoints } from '../../core/agent/checkpoint.ts'
import type { OpenGraph } from '../../core/agent/host/graph-host.ts'
import type { GraphStates, StateOptions, StateQuery } from '../../core/agent/host/states.ts'
import type { CheckpointRef } from '../../core/agent/run.ts'
import { EMPTY_STATE, type Thread, type ThreadState } from '../../core/agent/thread.ts'
import { AppError } from '../../core/errors.ts'
import type { JsonObject, JsonValue } from '../../core/json.ts'
import type { Parts } from '../agent-server-parts.ts'
import { getThread } from './threads.ts'

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
  const thread = await getThread(parts, caller, thread_id)
  const kept = await parts.store.threads.getState(thread_id)
  if (thread.status !== 'busy' && !options.subgraphs) return kept ?? EMPTY_STATE
  // An unused thread may have no graph.
  if (!parts.host.graphs.has(String(thread.metadata.graph_id))) return kept ?? EMPTY_STATE
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
  const thread = await getThread(parts, caller, thread_id)
  const checkpoint = placeOf(options.checkpoint)
  await requireCheckpoint(parts, thread_id, checkpoint)
  const graph = await openThreadGraph(parts, thread)
  const { subgraphs } = options
  return graph.getState({ thread_id, ...checkpoint }, { subgraphs })
}

export interface HistoryQuery extends StateQuery {
  /** `checkpoint_ns`: the history of that subgraph; `checkpoint_id`: only this checkpoint. */
  checkpoint: CheckpointRef
}

/**
 * The states at the thread's checkpoints, newest first, each read when it is requested. Throws
 * `not_found`, `bad_request`.
 */
export async function listThreadHistory(
  parts: Pick<Parts, 'store' | 'host' | 'authorize'>,
  caller: Caller,
  thread_id: string,
  query: HistoryQuery,
): Promise<AsyncIterable<ThreadState>> {
  const thread = await getThread(parts, caller, thread_id)
  if ((await parts.store.checkpoints.latestId(thread_id)) === undefined) return noStates()
  const graph = await openThreadGraph(parts, thread)
  const { checkpoint, ...states } = query
  return graph.listStates({ thread_id, ...placeOf(checkpoint) }, states)
}

async function* noStates(): AsyncGenerator<ThreadState> {}

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

/** The fields of a thread that name its graph. */
export type GraphThread = Pick<Thread, 'thread_id' | 'metadata' | 'config'>

/**
 * Opens the graph on the server's checkpoints or the given ones. The thread's metadata name it, or else
 * the thread's last run; a factory gets the config of that run. Throws `bad_request` if the thread has
 * no graph or the graph cannot be made, and `not_found` if the project no longer has the graph.
 */
export async function openThreadGraph(
  parts: Pick<Parts, 'store' | 'host'>,
  thread: GraphThread,
  checkpoints?: GraphCheckpoints,
): Promise<OpenGraph> {
  const { thread_id } = thread
  const last = await parts.store.runs.latest(thread_id)
  const graph_id = findGraph(parts, thread_id, thread.metadata.graph_id ?? last?.metadata.graph_id)
  const ofThread = thread.config.configurable as JsonObject | undefined
  const ofRun = last?.kwargs.config.configurable as JsonObject | undefined
  try {
    const config = { configurable: { ...ofThread, ...ofRun, thread_id } }
    return await parts.host.open(graph_id, config, checkpoints)
  } catch (cause) {
    if (cause instanceof AppError) throw cause
    const reason = cause instanceof Error ? cause.message : String(cause)
    const message = `The graph "${graph_id}" of thread ${thread_id} cannot be made: ${reason}`
    throw new AppError('bad_request', message, { cause })
  }
}

function findGraph(
  parts: Pick<Parts, 'host'>,
  thread_id: string,
  graph_id: JsonValue | undefined,
): string {
  if (typeof graph_id !== 'string') {
    throw new AppError(
      'bad_request',
      `Thread ${thread_id} has no graph ID; set metadata.graph_id, or run an assistant on it first.`,
    )
  }
  if (parts.host.graphs.has(graph_id)) return graph_id
  const names = [...parts.host.graphs.keys()].map((name) => `"${name}"`).join(', ')
  throw new AppError(
    'not_found',
    `Thread ${thread_id} is of graph "${graph_id}", which this project does not have; it has ${names}.`,
  )
}
