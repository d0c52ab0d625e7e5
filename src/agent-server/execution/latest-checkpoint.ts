/**
 * The latest checkpoint that a run has put for its root graph, as it will be read once it is written: whoever asks for
 * the run's last state need not wait for that, and the database need not be asked.
 */
import {
  type ChannelValue,
  type CheckpointKey,
  type CheckpointRecord,
  type StoredCheckpoint,
  sizeOf,
} from '../../core/agent/checkpoint.ts'

/** What is kept at most, in bytes of values. */
const MAX_BYTES = 2 ** 20

type Place = Pick<CheckpointKey, 'thread_id' | 'checkpoint_ns'>

interface Latest {
  checkpoint_id: string | undefined
  values: readonly ChannelValue[]
  /** Absent: it is written, or the database knows more of it. */
  unwritten?: CheckpointRecord
}

export class LatestCheckpoint {
  readonly #thread_id: string
  #latest: Latest | undefined
  /** The checkpoints that tasks have written at before they were put: LangGraph puts one after the other. */
  readonly #writtenAt = new Set<string>()

  /** Of the root graph on this thread; whatever is told of other places is not kept. */
  constructor(thread_id: string) {
    this.#thread_id = thread_id
  }

  /** The run goes on from this checkpoint, or begins the thread. */
  loaded(at: Place, record: CheckpointRecord | undefined): void {
    if (!this.#isHere(at) || (record && sizeOf(record) > MAX_BYTES)) return
    const { checkpoint_id, values = [] } = record ?? {}
    this.#latest = { checkpoint_id, values }
  }

  /** Its values are known where it is put behind the one that is. Answers what takes note that it is written. */
  put(
    stored: StoredCheckpoint,
    versions: Readonly<Record<string, string>>,
    changed: readonly ChannelValue[],
  ): () => void {
    if (!this.#isHere(stored)) return () => {}
    const before = this.#latest
    this.#latest = undefined
    const hasWrites = this.#writtenAt.delete(stored.checkpoint_id)
    const isNext = before && (before.checkpoint_id ?? null) === stored.parent_checkpoint_id
    if (!isNext) return () => {}
    const values = valuesOf(versions, [...before.values, ...changed])
    const unwritten = { ...stored, values, writes: [] }
    if (sizeOf(unwritten) > MAX_BYTES) return () => {}
    const { checkpoint_id } = stored
    const latest: Latest = { checkpoint_id, values, ...(!hasWrites && { unwritten }) }
    this.#latest = latest
    return () => {
      delete latest.unwritten
    }
  }

  /** A task has written at this checkpoint: its record is not all that is read any more. */
  written(at: CheckpointKey): void {
    if (!this.#isHere(at)) return
    if (this.#latest?.checkpoint_id === at.checkpoint_id) delete this.#latest.unwritten
    else this.#writtenAt.add(at.checkpoint_id)
  }

  /** `undefined`: the database has to be asked, once all is written. */
  find(at: Place & { checkpoint_id?: string }): CheckpointRecord | undefined {
    const record = this.#isHere(at) ? this.#latest?.unwritten : undefined
    if (at.checkpoint_id && at.checkpoint_id !== record?.checkpoint_id) return undefined
    return record
  }

  #isHere({ thread_id, checkpoint_ns }: Place): boolean {
    return checkpoint_ns === '' && thread_id === this.#thread_id
  }
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
