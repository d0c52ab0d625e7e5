/** From the body of a run's creation to what the verb takes. */

import { DEFAULT_MULTITASK_STRATEGY } from '../../core/agent/multitask-strategy.ts'
import type { CheckpointRef } from '../../core/agent/run.ts'
import type { JsonObject, JsonValue } from '../../core/json.ts'
import type { RunRequest } from './new-run.ts'
import type { RunCreate } from './schemas.ts'

/** Fills in the defaults, and brings the forms that clients use to one. */
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
  const from = isPlace(checkpoint) ? checkpoint : checkpoint_id ? { checkpoint_id } : at
  return compact({
    ...rest,
    config,
    checkpoint: from,
    durability,
    metadata: rest.metadata ?? {},
    stream_mode: [stream_mode].flat(),
    stream_subgraphs,
    multitask_strategy,
    if_not_exists,
  })
}

/** Clients send empty ones too: those mean the latest. */
function isPlace(checkpoint: CheckpointRef | undefined): boolean {
  return checkpoint?.checkpoint_id !== undefined || checkpoint?.checkpoint_map !== undefined
}

/** `checkpoint_during` is the old name of it. */
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

type Defined<T> = { [K in keyof T]: Exclude<T[K], undefined> }

function compact<T extends object>(value: T): Defined<T> {
  const entries = Object.entries(value).filter(([, field]) => field !== undefined)
  return Object.fromEntries(entries) as Defined<T>
}
