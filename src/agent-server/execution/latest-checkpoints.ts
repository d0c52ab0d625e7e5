/**
 * The latest checkpoint that a run has put into each namespace, as it will be read once it is written: whoever asks
 * for the run's last state need not wait for that, and the database need not be asked.
 */
import {
  type ChannelValue,
  type CheckpointKey,
  type CheckpointRecord,
  type StoredCheckpoint,
  sizeOf,
} from '../../core/agent/checkpoint.ts'

/** What is kept of one namespace at most, in bytes of values. */
const MAX_BYTES = 2 ** 20

type Namespace = Pick<CheckpointKey, 'thread_id' | 'checkpoint_ns'>

interface Latest {
  checkpoint_id: string | undefined
  values: readonly ChannelValue[]
  /** Absent: it is written, and the database knows more of it. */
  unwritten?: CheckpointRecord
}

export class LatestCheckpoints {
  readonly #all = new Map<string, Latest>()
  /** The checkpoints that tasks have written at before they were put: LangGraph puts one after the other. */
  readonly #writtenAt = new Set<string>()

  /** The run goes on from this checkpoint, or begins the namespace. */
  loaded(at: Namespace, record: CheckpointRecord | undefined): void {
    if (record && sizeOf(record) > MAX_BYTES) return
    const { checkpoint_id, values = [] } = record ?? {}
    this.#all.set(keyOf(at), { checkpoint_id, values })
  }

  /** Its values are known where it is put behind the one that is. Answers what takes note that it is written. */
  put(
    stored: StoredCheckpoint,
    versions: Readonly<Record<string, string>>,
    changed: readonly ChannelValue[],
  ): () => void {
    const key = keyOf(stored)
    const before = this.#all.get(key)
    this.#all.delete(key)
    const hasWrites = this.#writtenAt.delete(`${key} ${stored.checkpoint_id}`)
    const isNext = before && (before.checkpoint_id ?? null) === stored.parent_checkpoint_id
    if (!isNext) return () => {}
    const values = valuesOf(versions, [...before.values, ...changed])
    const unwritten = { ...stored, values, writes: [] }
    if (sizeOf(unwritten) > MAX_BYTES) return () => {}
    const { checkpoint_id } = stored
    const latest: Latest = { checkpoint_id, values, ...(!hasWrites && { unwritten }) }
    this.#all.set(key, latest)
    return () => {
      delete latest.unwritten
    }
  }

  /** A task has written at this checkpoint: its record is not all that is read any more. */
  written(at: CheckpointKey): void {
    const key = keyOf(at)
    const latest = this.#all.get(key)
    if (latest?.checkpoint_id === at.checkpoint_id) delete latest.unwritten
    else this.#writtenAt.add(`${key} ${at.checkpoint_id}`)
  }

  /** `undefined`: the database has to be asked, once all is written. */
  find(at: Namespace & { checkpoint_id?: string }): CheckpointRecord | undefined {
    const record = this.#all.get(keyOf(at))?.unwritten
    if (at.checkpoint_id && at.checkpoint_id !== record?.checkpoint_id) return undefined
    return record
  }
}

function keyOf({ thread_id, checkpoint_ns }: Namespace): string {
  return `${thread_id} ${checkpoint_ns}`
}

/** By channel. One that is empty has a version and no value. */
function valuesOf(
  versions: Readonly<Record<string, string>>,
  known: readonly ChannelValue[],
): ChannelValue[] {
  return known
    .filter(({ channel, version }) => versions[channel] === version)
    .toSorted((one, other) => (one.channel < other.channel ? -1 : 1))
}
