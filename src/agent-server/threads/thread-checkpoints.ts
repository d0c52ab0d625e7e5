/** The server's checkpoints for accesses other than those of the run that writes them. */
import type {
  ChannelValue,
  CheckpointKey,
  CheckpointRecord,
  CheckpointStore,
  GraphCheckpoints,
  PendingWrite,
  StoredCheckpoint,
} from '../../core/agent/checkpoint.ts'
import { AppError } from '../../core/errors.ts'
import type { EventLog } from '../../stream/event-log.ts'

/**
 * State updates, histories and nodes that read another thread use these. A run's checkpoints are written with a delay,
 * so each access first waits for those writes.
 */
export function settledCheckpoints(
  store: CheckpointStore,
  events: Pick<EventLog, 'settle'>,
): GraphCheckpoints {
  return {
    async get(at) {
      await events.settle(at)
      return store.get(at)
    },
    async list(query) {
      await events.settle(query)
      return store.list(query)
    },
    async put(checkpoint, versions, values) {
      await events.settle(checkpoint)
      await store.put(checkpoint, versions, values)
    },
    async putWrites(key, writes) {
      await events.settle(key)
      await store.putWrites(key, writes)
    },
    async deleteThread(thread_id) {
      await events.settle({ thread_id })
      await store.deleteThread(thread_id)
    },
  }
}

interface Staged {
  checkpoint: StoredCheckpoint
  versions: Record<string, string>
  values: ChannelValue[]
}

/**
 * Checkpoints that are written to memory first, so that a graph's changes to a thread's state can be
 * stored together with the thread, in one transaction, or not at all. Reads see both. Use one instance per update of
 * one thread's state.
 */
export class StagedCheckpoints implements GraphCheckpoints {
  readonly #base: GraphCheckpoints
  readonly #staged: Staged[] = []
  readonly #writes: { key: CheckpointKey; writes: PendingWrite[] }[] = []
  /** Every value that was read or written here, by namespace, channel and version. */
  readonly #values = new Map<string, ChannelValue>()

  constructor(base: GraphCheckpoints) {
    this.#base = base
  }

  async put(
    checkpoint: StoredCheckpoint,
    versions: Record<string, string>,
    values: ChannelValue[],
  ): Promise<void> {
    this.#staged.push({ checkpoint, versions, values })
    this.#remember(checkpoint.checkpoint_ns, values)
  }

  async putWrites(key: CheckpointKey, writes: PendingWrite[]): Promise<void> {
    this.#writes.push({ key, writes })
  }

  async get(at: Parameters<GraphCheckpoints['get']>[0]): Promise<CheckpointRecord | undefined> {
    const staged = this.#staged.findLast(({ checkpoint }) => isAt(checkpoint, at))
    const record = staged ? this.#toRecord(staged) : await this.#base.get(at)
    if (!record) return undefined
    this.#remember(record.checkpoint_ns, record.values)
    const added = this.#writes.filter(({ key }) => isAt(key, { ...record }))
    return { ...record, writes: [...record.writes, ...added.flatMap(({ writes }) => writes)] }
  }

  list(query: Parameters<GraphCheckpoints['list']>[0]): Promise<CheckpointRecord[]> {
    return this.#base.list(query)
  }

  async deleteThread(thread_id: string): Promise<void> {
    throw new AppError('internal', `Thread ${thread_id} cannot go while its state is updated.`)
  }

  /** Part of a transaction: writes all staged data. */
  async commit(checkpoints: CheckpointStore): Promise<void> {
    await checkpoints.putAll([...this.#staged, ...this.#writes])
  }

  #remember(checkpoint_ns: string, values: ChannelValue[]): void {
    for (const value of values) this.#values.set(placeOf(checkpoint_ns, value), value)
  }

  #toRecord({ checkpoint, versions }: Staged): CheckpointRecord {
    const values = Object.entries(versions).flatMap(([channel, version]) => {
      const place = placeOf(checkpoint.checkpoint_ns, { channel, version })
      return this.#values.get(place) ?? []
    })
    return { ...checkpoint, values, writes: [] }
  }
}

type Place = Parameters<GraphCheckpoints['get']>[0]

function isAt(key: CheckpointKey, { thread_id, checkpoint_ns, checkpoint_id }: Place): boolean {
  if (key.thread_id !== thread_id || key.checkpoint_ns !== checkpoint_ns) return false
  return checkpoint_id === undefined || key.checkpoint_id === checkpoint_id
}

function placeOf(
  checkpoint_ns: string,
  { channel, version }: Pick<ChannelValue, 'channel' | 'version'>,
): string {
  return JSON.stringify([checkpoint_ns, channel, version])
}
