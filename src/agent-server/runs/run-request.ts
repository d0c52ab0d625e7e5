/** Converts the body of a run's creation to the verb's request. */

import { DEFAULT_MULTITASK_STRATEGY } from '../../core/agent/multitask-strategy.ts'
import type { CheckpointRef } from '../../core/agent/run.ts'
import { isObject, type JsonObject, type JsonValue } from '../../core/json.ts'
import { fieldsWhere, given } from '../operations/given.ts'
import type { RunRequest } from './new-run.ts'
import type { RunCreate } from './run-schemas.ts'

/** Only the server sets these on a run. The official server also drops them from requests. */
const RESERVED_METADATA = [
  ...['thread_id', 'assistant_id', 'run_id', 'cron_id'],
  'counters_since_delta_snapshot',
]
const RESERVED_CONTEXT = [
  ...['langgraph_auth_user', 'langgraph_auth_user_id', 'langgraph_auth_permissions'],
  ...['langgraph_request_id', 'cron_id', '__langsmith_project__', '__langsmith_example_id__'],
  ...['__request_start_time_ms__', '__after_seconds__', '__otel_traceparent__'],
  ...['__otel_tracestate__', '__dd_trace_headers__', '__pregel_node_finished'],
  '__context_provided__',
]

/** Fills in defaults, unifies the forms that clients send, and drops reserved keys. */
export function runRequest(body: RunCreate): RunRequest {
  const {
    checkpoint_id,
    checkpoint,
    on_disconnect,
    checkpoint_during,
    durability = durabilityOf(checkpoint_during),
    stream_mode = 'values',
    stream_subgraphs = false,
    multitask_strategy = DEFAULT_MULTITASK_STRATEGY,
    if_not_exists = 'reject',
    ...rest
  } = body
  const { config, at } = withoutCheckpoint((rest.config ?? {}) as JsonObject)
  const { configurable, metadata, ...settings } = config
  const from = isPlace(checkpoint) ? checkpoint : checkpoint_id ? { checkpoint_id } : at
  return given({
    ...rest,
    config: {
      ...settings,
      configurable: without(RESERVED_CONTEXT, configurable as JsonObject),
      ...(metadata !== undefined && { metadata: without(RESERVED_METADATA, metadata) }),
    },
    context: without(RESERVED_CONTEXT, rest.context),
    checkpoint: from,
    durability,
    metadata: without(RESERVED_METADATA, rest.metadata) ?? {},
    stream_mode: [stream_mode].flat(),
    stream_subgraphs,
    multitask_strategy,
    if_not_exists,
  })
}

function without<T extends JsonValue | undefined>(keys: readonly string[], value: T): T {
  if (!isObject(value)) return value
  return fieldsWhere(value, (key) => !keys.includes(key)) as T
}

/** Clients also send empty checkpoints: those mean the latest. */
function isPlace(checkpoint: CheckpointRef | undefined): boolean {
  return checkpoint?.checkpoint_id !== undefined || checkpoint?.checkpoint_map !== undefined
}

/** `checkpoint_during` is the older form of `durability`. */
function durabilityOf(checkpoint_during: boolean | undefined): RunRequest['durability'] {
  if (checkpoint_during === undefined) return undefined
  return checkpoint_during ? 'async' : 'exit'
}

/** `RemoteGraph` names the checkpoint to start from in `configurable`. */
function withoutCheckpoint(config: JsonObject): {
  config: JsonObject
  at: CheckpointRef | undefined
} {
  const { checkpoint_id, checkpoint_ns, checkpoint_map, ...configurable } = (config.configurable ??
    {}) as { [key: string]: JsonValue }
  const rest = { ...config, configurable }
  if (typeof checkpoint_id !== 'string' || checkpoint_id === '')
    return { config: rest, at: undefined }
  const ns = typeof checkpoint_ns === 'string' ? { checkpoint_ns } : {}
  return { config: rest, at: { checkpoint_id, ...ns } }
}
