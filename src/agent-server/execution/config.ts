/** Builds the config and the request that a run passes to its graph. */
import type { GraphConfig } from '../../core/agent/host/graph-host.ts'
import type { GraphRunRequest, HostMode } from '../../core/agent/host/run.ts'
import type { QueuedRun } from '../../core/agent/run.ts'
import type { JsonObject, JsonValue } from '../../core/json.ts'
import { placeOf } from '../threads/state.ts'

/**
 * The run's config. `configurable` holds what the client sent, the ids, and the checkpoint to start from
 * unless the run is `resumed`.
 */
export function graphConfig(run: QueuedRun, { resumed }: { resumed: boolean }): GraphConfig {
  const { config, checkpoint } = run.kwargs
  return {
    ...fieldsOf(config),
    metadata: metadataOf(run),
    configurable: {
      ...(config.configurable as JsonObject),
      ...(checkpoint && !resumed ? { ...placeOf(checkpoint) } : {}),
    },
    context: contextOf(run),
  }
}

/** The request that goes with `graphConfig`. A `resumed` run has its input in the checkpoint. */
export function graphRequest(run: QueuedRun, { resumed }: { resumed: boolean }): GraphRunRequest {
  const { kwargs } = run
  const { interrupt_before, interrupt_after, durability } = kwargs
  return {
    run_id: run.run_id,
    input: resumed ? null : (kwargs.input ?? null),
    ...(kwargs.command && !resumed && { command: kwargs.command }),
    context: contextOf(run),
    modes: kwargs.stream_protocol ? [...kwargs.stream_mode, ...OF_PROTOCOL] : kwargs.stream_mode,
    subgraphs: kwargs.stream_subgraphs,
    ...(interrupt_before && { interrupt_before }),
    ...(interrupt_after && { interrupt_after }),
    ...(durability && { durability }),
    ...(run.has_new_thread && { is_new_thread: true }),
  }
}

/** Never absent, so that nodes can read it without a check. */
function contextOf({ kwargs }: QueuedRun): JsonValue {
  return kwargs.context ?? {}
}

const OF_PROTOCOL: readonly HostMode[] = ['places', 'model_ends', 'transformers']

const CONFIG_FIELDS = ['tags', 'recursion_limit', 'max_concurrency', 'run_name']

function fieldsOf(config: JsonObject): JsonObject {
  const entries = CONFIG_FIELDS.flatMap((name): [string, JsonValue][] => {
    const value = config[name]
    return value === undefined || value === null ? [] : [[name, value]]
  })
  return Object.fromEntries(entries)
}

function metadataOf(run: QueuedRun): JsonObject {
  const { run_id, thread_id, assistant_id, attempt } = run
  const sent = run.kwargs.config.metadata as JsonObject | undefined
  return { ...sent, ...run.metadata, run_id, thread_id, assistant_id, run_attempt: attempt }
}
