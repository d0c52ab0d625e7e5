/** Opens the graph that reads and writes a thread's state. */
import type { GraphCheckpoints } from '../../core/agent/checkpoint.ts'
import type { OpenGraph } from '../../core/agent/host/graph-host.ts'
import type { Thread } from '../../core/agent/thread.ts'
import { AppError } from '../../core/errors.ts'
import type { JsonObject, JsonValue } from '../../core/json.ts'
import type { Parts } from '../agent-server-parts.ts'

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
