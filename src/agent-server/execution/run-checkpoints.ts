/**
 * The checkpoints of one run: written under its lease, so that a server that has lost the run writes no more,
 * and in one order with the run's log.
 *
 * LangGraph waits for a checkpoint only in `sync` runs. In other runs a checkpoint may wait for later data, and all
 * data of a short run is written with its end. A failed write fails the run, as with its events.
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
  /** Absent: the run needs no order between log and checkpoints. */
  order?: OrderedWrites
  /** The thread was added with the run, so it has no checkpoint until the run puts one. */
  isNewThread?: boolean
  /** Whether the graph waits until each checkpoint is stored. */
  isAwaited: boolean
}

export class RunCheckpoints implements GraphCheckpoints {
  readonly #parts: RunCheckpointsParts
  #isEmpty: boolean
  readonly #latest: LatestCheckpoint
  /** Puts that have no place in the write order yet, with their namespaces. */
  readonly #unplaced = new Map<Promise<unknown>, Namespace>()
  readonly #unwritten = new Map<Promise<unknown>, Namespace>()

  constructor(parts: RunCheckpointsParts) {
    this.#parts = parts
    this.#isEmpty = parts.isNewThread ?? false
    const { thread_id, order } = parts
    this.#latest = new LatestCheckpoint(thread_id)
    if (!this.#isEmpty) return
    // A host need not read a checkpoint that does not exist.
    this.#latest.loaded({ thread_id, checkpoint_ns: '' }, undefined)
    order?.loaded('', undefined)
  }

  /** Includes checkpoints that are not written yet. */
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

  /** Resolves when all puts of the graph until now have a place in the write order. */
  async placed(): Promise<void> {
    await Promise.allSettled(this.#unplaced.keys())
  }

  /**
   * Resolves when all puts of a stopping graph are written or refused. A graph does not wait for its
   * checkpoints, and puts the next one when the last is stored.
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

  /** Writes in one transaction with the earlier events or, without an order, alone under the lease. */
  async #place(at: Namespace, put: CheckpointPut): Promise<{ written: Promise<unknown> }> {
    const { store, lease, order, isAwaited } = this.#parts
    if (!order) {
      await store.putAll([put], lease)
      return { written: Promise.resolve() }
    }
    const { written } = await order.place(put, { mayWait: !isAwaited })
    note(this.#unwritten, written, at)
    // The lease was lost: this write throws with the reason.
    if (isAwaited && !(await written)) await store.putAll([put], lease)
    return { written }
  }

  /** Writes all puts; with `at`, only if one is pending in that namespace. Rejects if a write failed. */
  async #flush(at?: Namespace): Promise<void> {
    if (isAny(this.#unplaced, at)) await this.placed()
    if (isAny(this.#unwritten, at)) await this.#parts.order?.flush()
  }
}

/** Each subgraph has its own namespace, so that its first read need not wait for puts elsewhere. */
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

/** Adds the promise to `pending` until it settles. */
function note(pending: Pending, promise: Promise<unknown>, at: Namespace): void {
  const isOver = () => void pending.delete(promise)
  pending.set(promise, at)
  promise.then(isOver, isOver)
}
