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
import { LatestCheckpoints } from './latest-checkpoints.ts'
import type { OrderedWrites } from './ordered-writes.ts'

interface RunCheckpointsParts {
  store: CheckpointStore
  lease: Lease
  /** Absent: nobody follows in which order things are stored. */
  order?: OrderedWrites
  /** The run's, where it was added with the run: no checkpoint can be there until the run itself puts one. */
  emptyThread?: string
  /** Whether each is stored before the graph goes on. */
  isAwaited: boolean
}

export class RunCheckpoints implements GraphCheckpoints {
  readonly #parts: RunCheckpointsParts
  #emptyThread: string | undefined
  readonly #latest = new LatestCheckpoints()
  /** What has no place yet among what is to be written. */
  readonly #unplaced = new Set<Promise<unknown>>()
  readonly #unwritten = new Set<Promise<unknown>>()

  constructor(parts: RunCheckpointsParts) {
    this.#parts = parts
    this.#emptyThread = parts.emptyThread
  }

  /** Also what is not written yet. */
  async get(at: Parameters<GraphCheckpoints['get']>[0]): Promise<CheckpointRecord | undefined> {
    const { store, order } = this.#parts
    const latest = this.#latest.find(at)
    if (latest) return latest
    await this.#flush()
    const isEmpty = at.thread_id === this.#emptyThread
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
    this.#emptyThread = undefined
    const { order } = this.#parts
    const onWritten = this.#latest.put(checkpoint, versions, values)
    try {
      const placed = this.#write({ checkpoint, versions, values })
      const { written } = await noted(this.#unplaced, placed)
      written.then(onWritten, onWritten)
    } finally {
      order?.stored(checkpoint.checkpoint_id)
    }
  }

  async putWrites(key: CheckpointKey, writes: PendingWrite[]): Promise<void> {
    this.#emptyThread = undefined
    this.#latest.written(key)
    await noted(this.#unplaced, this.#write({ key, writes }))
  }

  async deleteThread(thread_id: string): Promise<void> {
    await this.#flush()
    return this.#parts.store.deleteThread(thread_id)
  }

  /** Settles when all that the graph has begun to store has its place among what is to be written. */
  async placed(): Promise<void> {
    await Promise.allSettled(this.#unplaced)
  }

  /**
   * Settles when all that a graph which has been told to stop began to write is written, or refused. A graph
   * does not wait for its checkpoints, and hands one over when the last is stored.
   */
  async written(): Promise<void> {
    for (;;) {
      await turn()
      const begun = [...this.#unplaced, ...this.#unwritten]
      if (begun.length === 0) return
      await Promise.allSettled(begun)
    }
  }

  /** In one transaction with the events before it, or under the lease by itself. */
  async #write(put: CheckpointPut): Promise<{ written: Promise<unknown> }> {
    const { store, lease, order, isAwaited } = this.#parts
    if (!order) {
      await store.putAll([put], lease)
      return { written: Promise.resolve() }
    }
    const { written } = await order.place(put, { mayWait: !isAwaited })
    void noted(this.#unwritten, written).catch(() => {})
    // Refused once more, in words.
    if (isAwaited && !(await written)) await store.putAll([put], lease)
    return { written }
  }

  /** Settles when all that was put is written. Rejects where it could not be. */
  async #flush(): Promise<void> {
    await this.placed()
    if (this.#unwritten.size > 0) await this.#parts.order?.flush()
  }
}

/** The promise, which is in the set until it settles. */
function noted<T>(pending: Set<Promise<unknown>>, promise: Promise<T>): Promise<T> {
  const isOver = () => void pending.delete(promise)
  pending.add(promise)
  promise.then(isOver, isOver)
  return promise
}
