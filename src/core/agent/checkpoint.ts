/**
 * Checkpoints as they are stored: bytes from the project's own serializer, and the fields that are
 * searched.
 */
import type { JsonObject } from '../json.ts'
import type { Lease } from './run.ts'
import type { TimelineCheckpoint } from './timeline/timeline.ts'

/** A serialized value, with the name of its encoding. */
export interface TypedBytes {
  type: string
  bytes: Uint8Array
}

export interface CheckpointKey {
  thread_id: string
  checkpoint_ns: string
  checkpoint_id: string
}

/** The value of one channel at one version. Checkpoints with the same version share it. */
export interface ChannelValue extends TypedBytes {
  channel: string
  version: string
}

/** A checkpoint without its channel values. */
export interface StoredCheckpoint extends CheckpointKey {
  parent_checkpoint_id: string | null
  /** The run that wrote it. `null`: an update through the API did. */
  run_id: string | null
  checkpoint: TypedBytes
  metadata: JsonObject
}

export interface PendingWrite extends TypedBytes {
  task_id: string
  channel: string
  /** The position among the task's writes. Negative for special ones: error, interrupt, resume. */
  idx: number
  /**
   * The task's position in its step, as a sortable text: writes are read in this order, those without it first. Reads
   * leave it out.
   */
  task_path?: string
}

/** A checkpoint with its values and writes. */
export interface CheckpointRecord extends StoredCheckpoint {
  values: ChannelValue[]
  writes: PendingWrite[]
}

/** The size of a thread's history in bytes, as stored. */
export interface StorageUse {
  checkpoints: { count: number; bytes: number }
  channel_values: {
    count: number
    bytes: number
    by_channel: Record<string, { versions: number; bytes: number }>
  }
  pending_writes: { count: number; bytes: number }
}

/** The size of its values and writes in bytes, as they are read. */
export function sizeOf({ values, writes }: CheckpointRecord): number {
  return [...values, ...writes].reduce((sum, { bytes }) => sum + bytes.length, 0)
}

/** A lease that this transaction has checked already: it is held until the transaction ends. */
export interface HeldLease {
  held_run_id: string
}

/** A checkpoint to store: `versions` names the version of every channel, `values` holds the new ones. */
export interface CheckpointWithValues {
  checkpoint: StoredCheckpoint
  versions: Record<string, string>
  values: ChannelValue[]
}

/** A task's writes at a checkpoint. */
export interface CheckpointWrites {
  key: CheckpointKey
  writes: PendingWrite[]
}

/** One call of a checkpointer: a checkpoint, or writes. */
export type CheckpointPut = CheckpointWithValues | CheckpointWrites

/** The checkpoints of one database. A write with a lost lease throws `conflict`. */
export interface CheckpointStore {
  /** Stores all of them, in order. */
  putAll(puts: readonly CheckpointPut[], lease?: Lease | HeldLease): Promise<void>
  /** Stores one checkpoint: see `CheckpointWithValues`. */
  put(
    checkpoint: StoredCheckpoint,
    versions: Record<string, string>,
    values: ChannelValue[],
    lease?: Lease | HeldLease,
  ): Promise<void>
  putWrites(key: CheckpointKey, writes: PendingWrite[], lease?: Lease | HeldLease): Promise<void>
  /** The checkpoint of this id, or else the latest one of the namespace. */
  get(at: {
    thread_id: string
    checkpoint_ns: string
    checkpoint_id?: string
  }): Promise<CheckpointRecord | undefined>
  /** The newest first. Without `checkpoint_ns`, those of all namespaces. */
  list(query: {
    thread_id?: string
    checkpoint_ns?: string
    checkpoint_id?: string
    /** Only checkpoints with a lower id than this. */
    before?: string
    /** Only checkpoints whose metadata has the same value for every key. */
    metadata?: JsonObject
    limit?: number
    /** The page ends with the record that reaches this size, in bytes. */
    maxBytes?: number
  }): Promise<CheckpointRecord[]>
  /** The id of the latest checkpoint of a namespace; by default that of the root graph. */
  latestId(thread_id: string, checkpoint_ns?: string): Promise<string | undefined>
  deleteThread(thread_id: string): Promise<void>
  /** Copies the whole history to another thread, which has none yet. */
  copyThread(from: string, to: string): Promise<void>
  /**
   * Removes everything that the thread does not need to continue. It keeps the latest checkpoint of the root graph, the
   * latest one of each subgraph that belongs to it, and those of subgraphs with a memory of their own.
   */
  keepLatest(thread_id: string): Promise<void>
  /** Merges fields into the metadata of one checkpoint. */
  patchMetadata(key: CheckpointKey, metadata: JsonObject): Promise<void>
  measure(thread_id: string): Promise<StorageUse>
  /** Removes what the run wrote (rollback). */
  deleteRun(thread_id: string, run_id: string): Promise<void>
  /** The run's checkpoints in all namespaces, in order. */
  listOf(run: { thread_id: string; run_id: string }, limit: number): Promise<TimelineCheckpoint[]>
  /** Whether the run has written a checkpoint of the root graph. Then it continues instead of starting. */
  hasCheckpointOf(thread_id: string, run_id: string): Promise<boolean>
  /** Whether the run has stored writes of its tasks, or its answers to interrupts. */
  hasWritesOf(thread_id: string, run_id: string): Promise<boolean>
}

/**
 * The part of the store that a graph's checkpointer uses. A run has its own, bound to its lease and to the order of its
 * emissions.
 */
export interface GraphCheckpoints extends Pick<CheckpointStore, 'get' | 'list' | 'deleteThread'> {
  put(
    checkpoint: StoredCheckpoint,
    versions: Record<string, string>,
    values: ChannelValue[],
  ): Promise<void>
  putWrites(key: CheckpointKey, writes: PendingWrite[]): Promise<void>
}
