/** Checkpoints as storage keeps them: bytes from the project's own serializer, and what is searched. */
import type { JsonObject } from '../json.ts'
import type { Lease } from './run.ts'

/** A value with the name of the encoding that its serializer gave it. */
export interface TypedBytes {
  type: string
  bytes: Uint8Array
}

export interface CheckpointKey {
  thread_id: string
  checkpoint_ns: string
  checkpoint_id: string
}

/** One channel's value at one version; checkpoints with the same version share it. */
export interface ChannelValue extends TypedBytes {
  channel: string
  version: string
}

/** A checkpoint without its channel values. */
export interface StoredCheckpoint extends CheckpointKey {
  parent_checkpoint_id: string | null
  /** The run that wrote it; `null` for an update through the API. */
  run_id: string | null
  checkpoint: TypedBytes
  metadata: JsonObject
}

export interface PendingWrite extends TypedBytes {
  task_id: string
  channel: string
  /** Place among the task's writes; negative for the special ones (error, interrupt, resume). */
  idx: number
}

/** A checkpoint with all that belongs to it. */
export interface CheckpointRecord extends StoredCheckpoint {
  values: ChannelValue[]
  writes: PendingWrite[]
}

/** What a thread's history takes, in bytes as stored. */
export interface StorageUse {
  checkpoints: { count: number; bytes: number }
  channel_values: {
    count: number
    bytes: number
    by_channel: Record<string, { versions: number; bytes: number }>
  }
  pending_writes: { count: number; bytes: number }
}

/** What its values and writes take, in bytes as they are read. */
export function sizeOf({ values, writes }: CheckpointRecord): number {
  return [...values, ...writes].reduce((sum, { bytes }) => sum + bytes.length, 0)
}

/** The checkpoints of one database. Writes that carry a lost lease throw `conflict`. */
export interface CheckpointStore {
  /** `versions` names every channel's version at this checkpoint, `values` the new ones of them. */
  put(
    checkpoint: StoredCheckpoint,
    versions: Record<string, string>,
    values: ChannelValue[],
    lease?: Lease,
  ): Promise<void>
  putWrites(key: CheckpointKey, writes: PendingWrite[], lease?: Lease): Promise<void>
  /** The named checkpoint, or the latest of the namespace. */
  get(at: {
    thread_id: string
    checkpoint_ns: string
    checkpoint_id?: string
  }): Promise<CheckpointRecord | undefined>
  /** Newest first. Without `checkpoint_ns`, those of every namespace. */
  list(query: {
    thread_id?: string
    checkpoint_ns?: string
    checkpoint_id?: string
    /** Only checkpoints with an id lower than this one. */
    before?: string
    /** Every key equal. */
    metadata?: JsonObject
    limit?: number
    /** Ends with the record that makes them so many bytes together. */
    maxBytes?: number
  }): Promise<CheckpointRecord[]>
  /** The id of the latest checkpoint of a namespace, by default the root graph's. */
  latestId(thread_id: string, checkpoint_ns?: string): Promise<string | undefined>
  deleteThread(thread_id: string): Promise<void>
  /** Gives another thread, which has none, the whole history. */
  copyThread(from: string, to: string): Promise<void>
  /**
   * Removes all but what goes on from here: the root graph's latest checkpoint, the latest of each
   * subgraph that belongs to it, and of those subgraphs that keep a memory of their own.
   */
  keepLatest(thread_id: string): Promise<void>
  /** Merges into the metadata of one checkpoint. */
  patchMetadata(key: CheckpointKey, metadata: JsonObject): Promise<void>
  measure(thread_id: string): Promise<StorageUse>
  /** Removes what the run wrote (rollback). */
  deleteRun(thread_id: string, run_id: string): Promise<void>
  /** Whether the run has written a checkpoint of the root graph: then it is continued, not begun. */
  hasCheckpointOf(thread_id: string, run_id: string): Promise<boolean>
  /** Whether the run has stored what its tasks wrote, or its answers to interrupts. */
  hasWritesOf(thread_id: string, run_id: string): Promise<boolean>
}

/** Keeps what a run stores and what it tells in one order; its checkpointer asks. */
export interface WriteOrder {
  /**
   * Before a checkpoint is stored, or (`writes`) what a task has written at it: settles when all that
   * the run has emitted until now is in its log. Rejects where that could not be written: then the
   * checkpoint must not be stored either.
   */
  settled(what: 'checkpoint' | 'writes', at: Omit<CheckpointKey, 'thread_id'>): Promise<void>
  /** The run goes on from this checkpoint of the namespace, or begins there. */
  loaded(checkpoint_ns: string, checkpoint_id: string | undefined): void
  /** The checkpoint is stored, or could not be. */
  stored(checkpoint_id: string): void
}

/** What a graph's checkpointer does with its store. */
export type GraphCheckpoints = Pick<
  CheckpointStore,
  'put' | 'putWrites' | 'get' | 'list' | 'deleteThread'
>
