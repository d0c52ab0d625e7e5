/**
 * The checkpoints of one run: written under its lease, so that a server that has lost the run writes no more,
 * and in one order with the run's log.
 *
 * LangGraph does not wait until a checkpoint is stored, unless the run is to be `sync`. So it waits for what comes
 * next, and all of a short run is written with its end. What fails then fails the run, as with its events.
 */
import { setImmediate as turn } from 'node:timers/promises'
import type {
  ChannelValue,
  CheckpointKey,
  CheckpointPut,
  CheckpointRecord,
  CheckpointStore,
  GraphCheckpoints,
  PendingWrite,
  StoredCheckpoint,
} from '../../core/agent/checkpoint.ts'
import type { Lease } from '../../core/agent/run.ts'
import { LatestCheckpoint } from './latest-checkpoint.ts'
import type { OrderedWrites } from './ordered-writes.ts'

interface RunCheckpointsParts {
  store: CheckpointStore
  lease: Lease
  thread_id: string
  /** Absent: nobody follows in which order things are stored. */
  order?: OrderedWrites
  /** The thread was added with the run: no checkpoint can be there until the run itself puts one. */
  isNewThread?: boolean
  /** Whether each is stored before the graph goes on. */
  isAwaited: boolean
}

export class RunCheckpoints implements GraphCheckpoints {
  readonly #parts: RunCheckpointsParts
  #isEmpty: boolean
  readonly #latest: LatestCheckpoint
  /** What has no place yet among what is to be written, by where it belongs. */
  readonly #unplaced = new Map<Promise<unknown>, Namespace>()
  readonly #unwritten = new Map<Promise<unknown>, Namespace>()

  constructor(parts: RunCheckpointsParts) {
    this.#parts = parts
    this.#isEmpty = parts.isNewThread ?? false
    const { thread_id, order } = parts
    this.#latest = new LatestCheckpoint(thread_id)
    if (!this.#isEmpty) return
    // A host need not ask for the checkpoint that is not there.
    this.#latest.loaded({ thread_id, checkpoint_ns: '' }, undefined)
    order?.loaded('', undefined)
  }

  /** Also what is not written yet. */
  async get(at: Parameters<GraphCheckpoints['get']>[0]): Promise<CheckpointRecord | undefined> {
    const { store, order, thread_id } = this.#parts
    const latest = this.#latest.find(at)
    if (latest) return latest
    await this.#flush(at)
    const isEmpty = this.#isEmpty && at.thread_id === thread_id
    const record = isEmpty ? undefined : await store.get(at)
    order?.loaded(at.checkpoint_ns, record?.checkpoint_id)
    this.#latest.loaded(at, record)
    return record
  }

  async list(query: Parameters<GraphCheckpoints['list']>[0]): Promise<CheckpointRecord[]> {
    await this.#flush()
    return this.#parts.store.list(query)
  }

  async put(
    checkpoint: StoredCheckpoint,
    versions: Record<string, string>,
    values: ChannelValue[],
  ): Promise<void> {
    this.#isEmpty = false
    const { order } = this.#parts
    const onWritten = this.#latest.put(checkpoint, versions, values)
    try {
      const { written } = await this.#write(checkpoint, { checkpoint, versions, values })
      written.then(onWritten, onWritten)
    } finally {
      order?.stored(checkpoint.checkpoint_id)
    }
  }

  async putWrites(key: CheckpointKey, writes: PendingWrite[]): Promise<void> {
    this.#isEmpty = false
    this.#latest.written(key)
    await this.#write(key, { key, writes })
  }

  async deleteThread(thread_id: string): Promise<void> {
    await this.#flush()
    return this.#parts.store.deleteThread(thread_id)
  }

  /** Settles when all that the graph has begun to store has its place among what is to be written. */
  async placed(): Promise<void> {
    await Promise.allSettled(this.#unplaced.keys())
  }

  /**
   * Settles when all that a graph which has been told to stop began to write is written, or refused. A graph
   * does not wait for its checkpoints, and hands one over when the last is stored.
   */
  async written(): Promise<void> {
    for (;;) {
      await turn()
      const begun = [...this.#unplaced.keys(), ...this.#unwritten.keys()]
      if (begun.length === 0) return
      await Promise.allSettled(begun)
    }
  }

  #write(at: Namespace, put: CheckpointPut): Promise<{ written: Promise<unknown> }> {
    const placed = this.#place(at, put)
    note(this.#unplaced, placed, at)
    return placed
  }

  /** In one transaction with the events before it, or under the lease by itself. */
  async #place(at: Namespace, put: CheckpointPut): Promise<{ written: Promise<unknown> }> {
    const { store, lease, order, isAwaited } = this.#parts
    if (!order) {
      await store.putAll([put], lease)
      return { written: Promise.resolve() }
    }
    const { written } = await order.place(put, { mayWait: !isAwaited })
    note(this.#unwritten, written, at)
    // Refused once more, in words.
    if (isAwaited && !(await written)) await store.putAll([put], lease)
    return { written }
  }

  /** Settles when all that was put is written; `at`: if any of it belongs there. Rejects where it could not be. */
  async #flush(at?: Namespace): Promise<void> {
    if (isAny(this.#unplaced, at)) await this.placed()
    if (isAny(this.#unwritten, at)) await this.#parts.order?.flush()
  }
}

/** A subgraph has one of its own, in which the first look need not wait for what others have put. */
type Namespace = Pick<CheckpointKey, 'thread_id' | 'checkpoint_ns'>

type Pending = Map<Promise<unknown>, Namespace>

function isAny(pending: Pending, at: Namespace | undefined): boolean {
  if (!at) return pending.size > 0
  const { thread_id, checkpoint_ns } = at
  for (const one of pending.values()) {
    if (one.thread_id === thread_id && one.checkpoint_ns === checkpoint_ns) return true
  }
  return false
}

/** The promise is pending until it settles. */
function note(pending: Pending, promise: Promise<unknown>, at: Namespace): void {
  const isOver = () => void pending.delete(promise)
  pending.set(promise, at)
  promise.then(isOver, isOver)
}
