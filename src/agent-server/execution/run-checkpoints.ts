/**
 * The checkpoints of one run: written under its lease, so that a server that has lost the run writes no more,
 * and in one order with the run's log.
 */
import { setImmediate as turn } from 'node:timers/promises'
import type {
  ChannelValue,
  CheckpointKey,
  CheckpointRecord,
  CheckpointStore,
  GraphCheckpoints,
  HeldLease,
  PendingWrite,
  StoredCheckpoint,
} from '../../core/agent/checkpoint.ts'
import type { Lease } from '../../core/agent/run.ts'
import type { OrderedWrites } from './ordered-writes.ts'

export class RunCheckpoints implements GraphCheckpoints {
  readonly #store: CheckpointStore
  readonly #lease: Lease
  /** Absent: nobody follows in which order things are stored. */
  readonly #order: OrderedWrites | undefined
  /** The thread on which no checkpoint can be: until the run itself begins to write one. */
  #emptyThread: string | undefined
  readonly #writing = new Set<Promise<void>>()

  /** `emptyThread`: the run's, where it was added with the run. */
  constructor(
    store: CheckpointStore,
    lease: Lease,
    { order, emptyThread }: { order?: OrderedWrites; emptyThread?: string } = {},
  ) {
    this.#store = store
    this.#lease = lease
    this.#order = order
    this.#emptyThread = emptyThread
  }

  async get(at: Parameters<GraphCheckpoints['get']>[0]): Promise<CheckpointRecord | undefined> {
    const isEmpty = at.thread_id === this.#emptyThread
    const record = isEmpty ? undefined : await this.#store.get(at)
    this.#order?.loaded(at.checkpoint_ns, record?.checkpoint_id)
    return record
  }

  list(query: Parameters<GraphCheckpoints['list']>[0]): Promise<CheckpointRecord[]> {
    return this.#store.list(query)
  }

  put(
    checkpoint: StoredCheckpoint,
    versions: Record<string, string>,
    values: ChannelValue[],
  ): Promise<void> {
    this.#emptyThread = undefined
    return this.#noted(this.#put(checkpoint, versions, values))
  }

  putWrites(key: CheckpointKey, writes: PendingWrite[]): Promise<void> {
    this.#emptyThread = undefined
    return this.#noted(this.#putWrites(key, writes))
  }

  deleteThread(thread_id: string): Promise<void> {
    return this.#store.deleteThread(thread_id)
  }

  /**
   * Settles when all that a graph which has been told to stop began to write is written, or refused. A graph
   * does not wait for its checkpoints, and hands one over when the last is stored.
   */
  async written(): Promise<void> {
    for (;;) {
      await turn()
      if (this.#writing.size === 0) return
      await Promise.allSettled(this.#writing)
    }
  }

  async #put(
    checkpoint: StoredCheckpoint,
    versions: Record<string, string>,
    values: ChannelValue[],
  ): Promise<void> {
    try {
      await this.#write('checkpoint', checkpoint, (store, lease) =>
        store.put(checkpoint, versions, values, lease),
      )
    } finally {
      this.#order?.stored(checkpoint.checkpoint_id)
    }
  }

  #putWrites(key: CheckpointKey, writes: PendingWrite[]): Promise<void> {
    return this.#write('writes', key, (store, lease) => store.putWrites(key, writes, lease))
  }

  /** In one transaction with the events before it, if some still wait to be written. */
  async #write(
    what: 'checkpoint' | 'writes',
    key: CheckpointKey,
    write: (store: CheckpointStore, lease: Lease | HeldLease) => Promise<void>,
  ): Promise<void> {
    const held = { held_run_id: this.#lease.run_id }
    const isWritten = await this.#order?.carry(what, key, (tx) => write(tx.checkpoints, held))
    if (!isWritten) await write(this.#store, this.#lease)
  }

  #noted(write: Promise<void>): Promise<void> {
    const isOver = () => void this.#writing.delete(write)
    this.#writing.add(write)
    write.then(isOver, isOver)
    return write
  }
}
