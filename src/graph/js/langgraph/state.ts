/** LangGraph's state snapshots as the API returns them. */
import type { StatePlace } from '../../../core/agent/host/states.ts'
import {
  EMPTY_STATE,
  type Interrupt,
  type ThreadState,
  type ThreadTask,
} from '../../../core/agent/thread.ts'
import type { JsonObject, JsonValue } from '../../../core/json.ts'
import { toWire } from './wire.ts'

/** The structural part of LangGraph's `StateSnapshot`. */
export interface GraphSnapshot {
  values: unknown
  next: readonly string[]
  tasks: readonly SnapshotTask[]
  config: SnapshotConfig
  metadata?: unknown
  createdAt?: string
  parentConfig?: SnapshotConfig
}

/** A config as LangGraph hands it out: where in a thread's history something is. */
export interface SnapshotConfig {
  configurable?: Record<string, unknown>
}

interface SnapshotInterrupt {
  id?: string
  value?: unknown
  response_schema?: unknown
}

interface SnapshotTask {
  id: string
  name: string
  error?: unknown
  interrupts?: readonly SnapshotInterrupt[]
  /** Of a subgraph: its snapshot where `subgraphs` was asked for, else the config to ask with. */
  state?: GraphSnapshot | SnapshotConfig
  result?: unknown
  path?: unknown
}

/** A snapshot, with those of its subgraphs if it has them. `EMPTY_STATE` before a checkpoint. */
export function toThreadState(snapshot: GraphSnapshot): ThreadState {
  const checkpoint = toCheckpoint(snapshot.config)
  if (!checkpoint?.checkpoint_id) return EMPTY_STATE
  const tasks = snapshot.tasks.map(toTask)
  return {
    values: toWire(snapshot.values),
    next: [...snapshot.next],
    tasks,
    checkpoint,
    metadata: toWire(snapshot.metadata) as JsonObject | null,
    created_at: snapshot.createdAt ?? null,
    parent_checkpoint: toCheckpoint(snapshot.parentConfig),
    interrupts: tasks.flatMap((task) => task.interrupts),
  }
}

/** The place of the checkpoint that a state update wrote. */
export function toPlace({ configurable }: SnapshotConfig, thread_id: string): StatePlace {
  const { checkpoint_ns = '', checkpoint_id, checkpoint_map } = configurable ?? {}
  return {
    thread_id,
    checkpoint_ns: String(checkpoint_ns),
    ...(typeof checkpoint_id === 'string' && { checkpoint_id }),
    ...(checkpoint_map !== undefined && { checkpoint_map: toWire(checkpoint_map) as JsonObject }),
  }
}

/** `{thread_id, checkpoint_ns, checkpoint_id, checkpoint_map}`, absent ones `null`. */
export function toCheckpoint(config: SnapshotConfig | undefined): JsonObject | null {
  const at = config?.configurable
  if (typeof at?.thread_id !== 'string') return null
  return {
    thread_id: at.thread_id,
    checkpoint_ns: toWire(at.checkpoint_ns ?? ''),
    checkpoint_id: toWire(at.checkpoint_id),
    checkpoint_map: toWire(at.checkpoint_map),
  }
}

/**
 * The place of a task's subgraph, with the fields that are known. `null`: the task has no subgraph, or the task
 * includes its state.
 */
export function toTaskCheckpoint(config: SnapshotConfig | undefined): JsonObject | null {
  const known = Object.entries(toCheckpoint(config) ?? {}).filter(([, value]) => value !== null)
  return known.length > 0 ? Object.fromEntries(known) : null
}

function toTask(task: SnapshotTask): ThreadTask {
  const { state } = task
  const isSnapshot = state !== undefined && 'values' in state
  return {
    id: task.id,
    name: task.name,
    error: toTaskError(task.error),
    interrupts: (task.interrupts ?? []).map(toInterrupt),
    checkpoint: isSnapshot ? null : toTaskCheckpoint(state),
    state: isSnapshot ? toThreadState(state) : null,
    result: toWire(task.result),
    ...(task.path !== undefined && { path: toWire(task.path) }),
  }
}

function toInterrupt({ id, value, response_schema }: SnapshotInterrupt): Interrupt {
  return {
    ...(id !== undefined && { id }),
    value: toWire(value),
    ...(response_schema != null && { response_schema: toWire(response_schema) as JsonObject }),
  }
}

/** What a task failed with, as a text. Stored errors come back as objects with `name` and `message`. */
export function toTaskError(error: unknown): string | null {
  if (error === undefined || error === null) return null
  if (typeof error === 'string') return error
  const { name, message } = error as { name?: unknown; message?: unknown }
  if (typeof message !== 'string') return JSON.stringify(toWire(error) satisfies JsonValue)
  return typeof name === 'string' ? `${name}: ${message}` : message
}
