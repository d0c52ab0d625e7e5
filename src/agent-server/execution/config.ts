/** What a graph is called with for a run. */

import type { Lease, QueuedRun } from '../../core/agent/run.ts'
import type { StreamMode } from '../../core/agent/stream-mode.ts'
import type { JsonObject, JsonValue } from '../../core/json.ts'
import { placeOf } from '../state/read.ts'

/**
 * The run's config in LangGraph's own words: for a graph's factory and for `stream`. `configurable`
 * holds what the client sent, the ids, the checkpoint to start from unless the run is `resumed`, and
 * under `__runyard_lease` the lease that the checkpointer writes with.
 */
export function graphConfig(run: QueuedRun, lease: Lease, resumed: boolean): JsonObject {
  const { config, checkpoint } = run.kwargs
  const configurable = config.configurable as JsonObject
  return {
    ...renamed(config),
    metadata: metadataOf(run),
    configurable: {
      ...configurable,
      ...(checkpoint && !resumed ? placeOf(checkpoint) : {}),
      __runyard_lease: { ...lease },
    },
  }
}

/** The options of `stream` that go with `graphConfig`. */
export function streamOptions(run: QueuedRun, signal: AbortSignal) {
  const { kwargs } = run
  return {
    runId: run.run_id,
    signal,
    streamMode: graphModes(kwargs.stream_mode),
    subgraphs: kwargs.stream_subgraphs || kwargs.stream_mode.includes('lifecycle'),
    // With a version LangGraph tells of checkpoints beside the values.
    ...(kwargs.stream_protocol && { version: 'v2' }),
    ...(kwargs.interrupt_before ? { interruptBefore: kwargs.interrupt_before } : {}),
    ...(kwargs.interrupt_after ? { interruptAfter: kwargs.interrupt_after } : {}),
    ...(kwargs.durability ? { durability: kwargs.durability } : {}),
    // Nodes may look into it without asking whether there is one.
    context: kwargs.context ?? {},
  }
}

/**
 * LangGraph's modes for ours. `messages` needs the values too: they tell which are complete. `lifecycle`
 * needs the tasks: a subgraph begins with its first. `events` are no mode of LangGraph: its callbacks tell
 * of them.
 */
function graphModes(modes: StreamMode[]): string[] {
  const of: Record<StreamMode, string[]> = {
    values: ['values'],
    updates: ['updates'],
    custom: ['custom'],
    debug: ['debug'],
    tasks: ['tasks'],
    checkpoints: ['checkpoints'],
    tools: ['tools'],
    events: [],
    messages: ['messages', 'values'],
    'messages-tuple': ['messages'],
    lifecycle: ['tasks'],
  }
  return [...new Set(modes.flatMap((mode) => of[mode]))]
}

/** The wire's names of config fields, and LangGraph's. */
const CONFIG_FIELDS = {
  tags: 'tags',
  recursion_limit: 'recursionLimit',
  max_concurrency: 'maxConcurrency',
  run_name: 'runName',
} as const

function renamed(config: JsonObject): JsonObject {
  const entries = Object.entries(CONFIG_FIELDS).flatMap(([wire, own]): [string, JsonValue][] => {
    const value = config[wire]
    return value === undefined || value === null ? [] : [[own, value]]
  })
  return Object.fromEntries(entries)
}

function metadataOf(run: QueuedRun): JsonObject {
  const { run_id, thread_id, assistant_id, attempt } = run
  const sent = run.kwargs.config.metadata as JsonObject | undefined
  return { ...sent, ...run.metadata, run_id, thread_id, assistant_id, run_attempt: attempt }
}
