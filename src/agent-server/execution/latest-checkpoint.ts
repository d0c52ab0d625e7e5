/**
 * The latest checkpoint of a run's root graph, as the database will return it once it is written. Reading the run's
 * last state then needs neither the write nor the database.
 */
import {
  type ChannelValue,
  type CheckpointKey,
  type CheckpointRecord,
  type StoredCheckpoint,
  sizeOf,
} from '../../core/agent/checkpoint.ts'

/** The largest checkpoint that is kept, in bytes of values. */
const MAX_BYTES = 2 ** 20

type Place = Pick<CheckpointKey, 'thread_id' | 'checkpoint_ns'>

interface Latest {
  checkpoint_id: string | undefined
  values: readonly ChannelValue[]
  /** Absent: it was read from the database, or tasks have written at it. */
  record?: CheckpointRecord
}

export class LatestCheckpoint {
  readonly #thread_id: string
  #latest: Latest | undefined
  /** Checkpoints whose task writes arrived before them: LangGraph puts its checkpoints one after another. */
  readonly #writtenAt = new Set<string>()

  /** Keeps checkpoints of the root graph on this thread only. */
  constructor(thread_id: string) {
    this.#thread_id = thread_id
  }

  /** Notes that the run continues from this checkpoint. `undefined`: it begins the thread. */
  loaded(at: Place, record: CheckpointRecord | undefined): void {
    if (!this.#isHere(at) || (record && sizeOf(record) > MAX_BYTES)) return
    const { checkpoint_id, values = [] } = record ?? {}
    this.#latest = { checkpoint_id, values }
  }

  /** Keeps the checkpoint if it follows the known one, whose values it needs. */
  put(
    stored: StoredCheckpoint,
    versions: Readonly<Record<string, string>>,
    changed: readonly ChannelValue[],
  ): void {
    if (!this.#isHere(stored)) return
    const before = this.#latest
    this.#latest = undefined
    const hasWrites = this.#writtenAt.delete(stored.checkpoint_id)
    const isNext = before && (before.checkpoint_id ?? null) === stored.parent_checkpoint_id
    if (!isNext) return
    const values = valuesOf(versions, [...before.values, ...changed])
    const record = { ...stored, values, writes: [] }
    if (sizeOf(record) > MAX_BYTES) return
    const { checkpoint_id } = stored
    this.#latest = { checkpoint_id, values, ...(!hasWrites && { record }) }
  }

  /** Notes that a task has written at this checkpoint: the kept record is no longer complete. */
  written(at: CheckpointKey): void {
    if (!this.#isHere(at)) return
    if (this.#latest?.checkpoint_id === at.checkpoint_id) delete this.#latest.record
    else this.#writtenAt.add(at.checkpoint_id)
  }

  /** Call it while a checkpoint of this namespace is not written. `undefined`: read the database, after all is. */
  find(at: Place & { checkpoint_id?: string }): CheckpointRecord | undefined {
    const record = this.#isHere(at) ? this.#latest?.record : undefined
    if (at.checkpoint_id && at.checkpoint_id !== record?.checkpoint_id) return undefined
    return record
  }

  #isHere({ thread_id, checkpoint_ns }: Place): boolean {
    return checkpoint_ns === '' && thread_id === this.#thread_id
  }
}

/** The values of these versions, sorted by channel. An empty channel has a version but no value. */
function valuesOf(
  versions: Readonly<Record<string, string>>,
  known: readonly ChannelValue[],
): ChannelValue[] {
  return known
    .filter(({ channel, version }) => versions[channel] === version)
    .toSorted((one, other) => (one.channel < other.channel ? -1 : 1))
}
