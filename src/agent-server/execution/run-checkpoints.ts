/**
 * The checkpoints of one run: read from the run's log, then from the store; written by the run's log under its lease,
 * behind the events that the graph has emitted before.
 *
 * LangGraph waits for a checkpoint only in `sync` runs. A failed write fails the run, as with its events.
 * `TakenEmissions` knows when all emissions of a graph were taken.
 */
import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises'
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
import { AppError } from '../../core/errors.ts'
import type { RunLog } from '../../stream/run-log.ts'
import type { Namespace } from '../../stream/write-buffer.ts'
import { LatestCheckpoint } from './latest-checkpoint.ts'

/**
 * How long a stopping graph must put nothing until it counts as stopped, in ms. It puts one checkpoint after another.
 */
const QUIET_MS = 10

interface RunCheckpointsParts {
  store: Pick<CheckpointStore, 'get' | 'list' | 'deleteThread'>
  thread_id: string
  log: RunLog
  emissions: TakenEmissions
  /** The thread was added with the run, so it has no checkpoint until the run puts one. */
  isNewThread?: boolean
  /** Whether the graph waits until each checkpoint is stored. */
  isAwaited: boolean
}

export class RunCheckpoints implements GraphCheckpoints {
  readonly #parts: RunCheckpointsParts
  #isEmpty: boolean
  readonly #latest: LatestCheckpoint
  /** Puts that wait for the emissions before them, with their namespaces. */
  readonly #arriving = new Map<Promise<unknown>, Namespace>()
  /** How many puts have come. */
  #count = 0

  constructor(parts: RunCheckpointsParts) {
    this.#parts = parts
    this.#isEmpty = parts.isNewThread ?? false
    const { thread_id, log } = parts
    this.#latest = new LatestCheckpoint(thread_id)
    if (!this.#isEmpty) return
    // A host need not read a checkpoint that does not exist.
    this.#latest.loaded({ thread_id, checkpoint_ns: '' }, undefined)
    log.loaded('', undefined)
  }

  /** Includes checkpoints that are not written yet. */
  async get(at: Parameters<GraphCheckpoints['get']>[0]): Promise<CheckpointRecord | undefined> {
    const { store, log, thread_id } = this.#parts
    const latest = this.#isPending(at) ? this.#latest.find(at) : undefined
    if (latest) return latest
    await this.#flush(at)
    const isEmpty = this.#isEmpty && at.thread_id === thread_id
    const record = isEmpty ? undefined : await store.get(at)
    log.loaded(at.checkpoint_ns, record?.checkpoint_id)
    this.#latest.loaded(at, record)
    return record
  }

  async list(query: Parameters<GraphCheckpoints['list']>[0]): Promise<CheckpointRecord[]> {
    await this.#flush()
    return this.#parts.store.list(query)
  }

  put(
    checkpoint: StoredCheckpoint,
    versions: Record<string, string>,
    values: ChannelValue[],
  ): Promise<void> {
    this.#latest.put(checkpoint, versions, values)
    return this.#write(checkpoint, { checkpoint, versions, values })
  }

  putWrites(key: CheckpointKey, writes: PendingWrite[]): Promise<void> {
    this.#latest.written(key)
    return this.#write(key, { key, writes })
  }

  async deleteThread(thread_id: string): Promise<void> {
    await this.#flush()
    return this.#parts.store.deleteThread(thread_id)
  }

  /** Resolves when all puts of the graph until now are in the log. */
  async placed(): Promise<void> {
    await Promise.allSettled(this.#arriving.keys())
  }

  /** Resolves when a stopping graph puts nothing more, and all its puts are written or refused. Never rejects. */
  async written(): Promise<void> {
    for (let seen = -1; seen !== this.#count; ) {
      seen = this.#count
      await delay(QUIET_MS)
      await this.#flush().catch(() => {})
    }
  }

  /** Resolves when the put is in the log or, in a `sync` run, stored. */
  async #write(at: Namespace, put: CheckpointPut): Promise<void> {
    const { log, emissions, isAwaited } = this.#parts
    this.#isEmpty = false
    this.#count += 1
    const arrived = emissions.wait()
    this.#arriving.set(arrived, at)
    await arrived
    this.#arriving.delete(arrived)
    log.put(put)
    if (!isAwaited) await log.room()
    else if (!(await this.#stored(at))) throw leaseLost()
  }

  /** Also puts that are held back behind a checkpoint of another namespace. */
  async #stored(at?: Namespace): Promise<boolean> {
    const { log, emissions } = this.#parts
    while (await log.flush()) {
      if (!log.hasPut(at)) return true
      await emissions.wait()
    }
    return false
  }

  /** Writes all puts; with `at`, only if one is pending in that namespace. Throws the error of a failed write. */
  async #flush(at?: Namespace): Promise<void> {
    if (!this.#isPending(at)) return
    await this.placed()
    await this.#stored(at)
  }

  /** A subgraph's first read need not wait for puts of other namespaces. */
  #isPending(at?: Namespace): boolean {
    const arriving = [...this.#arriving.values()]
    const isMeant = (one: Namespace) =>
      !at || (one.thread_id === at.thread_id && one.checkpoint_ns === at.checkpoint_ns)
    return arriving.some(isMeant) || this.#parts.log.hasPut(at)
  }
}

function leaseLost(): AppError {
  return new AppError(
    'conflict',
    "The run is not this server's any more: its lease was lost, nothing was written. Stop executing it.",
  )
}

/** Passes a graph's emissions on, and knows when all of them were taken. */
export class TakenEmissions {
  #areTaken = true

  /** Passes the stream through. */
  async *watch<T>(stream: AsyncIterable<T>): AsyncIterable<T> {
    const iterator = stream[Symbol.asyncIterator]()
    try {
      for (;;) {
        this.#areTaken = true
        const next = await iterator.next()
        this.#areTaken = false
        if (next.done) return
        yield next.value
      }
    } finally {
      this.#areTaken = true
      iterator.return?.().catch(() => {})
    }
  }

  /**
   * Resolves in an event-loop turn in which all emissions of the graph until now were taken: a stop signal in that
   * turn loses none. `false`: no such turn came within `limitMs`. Default: no limit.
   */
  async wait(limitMs = Number.POSITIVE_INFINITY): Promise<boolean> {
    const until = performance.now() + limitMs
    do await turn()
    while (!this.#areTaken && performance.now() < until)
    return this.#areTaken
  }
}
