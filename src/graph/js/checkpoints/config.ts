/** What the checkpointer reads from a LangGraph config: where to read or write, and for which run. */
import type { RunnableConfig } from '@langchain/core/runnables'
import type { CheckpointMetadata } from '@langchain/langgraph-checkpoint'
import type { CheckpointKey, GraphCheckpoints } from '../../../core/agent/checkpoint.ts'
import type { JsonObject } from '../../../core/json.ts'
import { toWire } from '../langgraph/wire.ts'

/**
 * The key of `configurable` that carries the run's own checkpoints. LangGraph hands it on to subgraphs, and
 * keeps keys with two underscores out of metadata.
 */
export const CHECKPOINTS_KEY = '__runyard_checkpoints'

/** The key of `configurable` that carries the run's `TaskFailures`, in the same way. */
export const FAILURES_KEY = '__runyard_failures'

/** Errors of failed tasks, by task id. */
export class TaskFailures extends Map<string, unknown> {
  /** Whether one of the tasks refused its answer (`resume-answers.ts`). */
  hasRefusedAnswer = false
}

type Configurable = Record<string, unknown>

/** A place in a thread's history; `undefined` for fields that the config leaves open. */
interface Place {
  thread_id?: string
  checkpoint_ns?: string
  checkpoint_id?: string
}

/** `thread_ts` is an old name of `checkpoint_id`; an empty id is none. */
export function readPlace(config: RunnableConfig | undefined): Place {
  const at: Configurable = config?.configurable ?? {}
  const checkpoint_id = at.checkpoint_id || at.thread_ts || undefined
  return {
    ...(at.thread_id !== undefined && { thread_id: String(at.thread_id) }),
    ...(at.checkpoint_ns !== undefined && { checkpoint_ns: String(at.checkpoint_ns) }),
    ...(checkpoint_id !== undefined && { checkpoint_id: String(checkpoint_id) }),
  }
}

/** The place as a key, the root's namespace by default. Throws when it has no thread or id. */
export function requireKey({ thread_id, checkpoint_ns = '', checkpoint_id }: Place): CheckpointKey {
  if (thread_id === undefined) throw missing('thread_id')
  if (checkpoint_id === undefined) throw missing('checkpoint_id')
  return { thread_id, checkpoint_ns, checkpoint_id }
}

function missing(name: string): Error {
  return new Error(`The config of a checkpoint lacks "configurable.${name}".`)
}

/** `undefined` outside of a run, as when the state is updated through the API. */
export function readCheckpoints(config: RunnableConfig): GraphCheckpoints | undefined {
  return config.configurable?.[CHECKPOINTS_KEY]
}

/** `undefined`: the caller collects no failures. */
export function readFailures(config: RunnableConfig): TaskFailures | undefined {
  return config.configurable?.[FAILURES_KEY]
}

/** The run that writes, `null` outside of one. */
export function readRunId(config: RunnableConfig): string | null {
  const run_id = config.configurable?.run_id ?? config.metadata?.run_id
  return typeof run_id === 'string' ? run_id : null
}

/** Keys that give a checkpoint's place, or that concern only the step that wrote it. */
const NO_METADATA = new Set([
  'thread_id',
  'checkpoint_id',
  'checkpoint_ns',
  'checkpoint_map',
  'langgraph_step',
  'langgraph_node',
  'langgraph_triggers',
  'langgraph_path',
  'langgraph_checkpoint_ns',
])

/**
 * A checkpoint's metadata: the run's ids and `metadata` from the config, overridden by LangGraph's own. LangGraph
 * compares the `run_id` in it: a run that is retried after its server died continues from its last checkpoint instead
 * of taking its input twice.
 */
export function collectMetadata(config: RunnableConfig, metadata: CheckpointMetadata): JsonObject {
  const { run_id, assistant_id, graph_id }: Configurable = config.configurable ?? {}
  const ofRun = { run_id, assistant_id, graph_id, ...config.metadata }
  const kept = Object.entries(ofRun).filter(
    ([key]) => !NO_METADATA.has(key) && !key.startsWith('__'),
  )
  return toWire({ ...Object.fromEntries(kept), ...metadata }) as JsonObject
}
