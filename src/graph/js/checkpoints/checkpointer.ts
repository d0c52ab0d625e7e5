/**
 * LangGraph's checkpointer over the port `GraphCheckpoints`. Each call's config (`config.ts`) carries the run's id and
 * its own checkpoints: writes go there with that id, so that a rollback finds them.
 */
import type { RunnableConfig } from '@langchain/core/runnables'
import type {
  BaseCheckpointSaver,
  ChannelVersions,
  Checkpoint,
  CheckpointListOptions,
  CheckpointMetadata,
  CheckpointTuple,
  PendingWrite as GraphWrite,
} from '@langchain/langgraph-checkpoint'
import type {
  ChannelValue,
  CheckpointRecord,
  GraphCheckpoints,
  PendingWrite,
} from '../../../core/agent/checkpoint.ts'
import { sizeOf } from '../../../core/agent/checkpoint.ts'
import type { JsonObject } from '../../../core/json.ts'
import { toWire } from '../langgraph/wire.ts'
import { guardSerializers } from '../patches/serializer.ts'
import {
  collectMetadata,
  readCheckpoints,
  readFailures,
  readPlace,
  readRunId,
  requireKey,
} from './config.ts'
import { ANSWER, asAsked, FAILURE, refusesAnswer } from './resume-answers.ts'
import { needsWritesOfParent, type SendsForm, withPendingSends, withSends } from './sends.ts'
import { dump, dumpOf, toTuple } from './values.ts'

/** How much of a history is read at a time, in bytes; a checkpoint may have more. */
const READ_BYTES = 8 * 1024 ** 2

/**
 * The checkpointer as a subclass of the project's own `BaseCheckpointSaver`, so that values are
 * written and revived by the project's serializer, as its own classes. `form` is how its version reads the
 * `Send`s that wait.
 */
export function createCheckpointerClass(
  Base: typeof BaseCheckpointSaver,
  form: SendsForm = 'list',
): new (
  store: GraphCheckpoints,
) => BaseCheckpointSaver<string> {
  return class Checkpointer extends Base<string> {
    readonly #store: GraphCheckpoints

    constructor(store: GraphCheckpoints) {
      super()
      this.#store = store
      guardSerializers(this.serde)
    }

    override async getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
      const { thread_id, checkpoint_ns = '', ...id } = readPlace(config)
      if (thread_id === undefined) return undefined
      const store = this.#storeOf(config)
      const record = await store.get({ thread_id, checkpoint_ns, ...id })
      return record && this.#toTuple(asAsked(record), store)
    }

    override async *list(
      config: RunnableConfig,
      { before, limit, filter }: CheckpointListOptions = {},
    ): AsyncGenerator<CheckpointTuple> {
      const place = readPlace(config)
      // An id marks a place to continue from only within one namespace.
      const isOrdered = place.thread_id !== undefined && place.checkpoint_ns !== undefined
      const query = {
        ...place,
        ...(filter !== undefined && { metadata: toWire(filter) as JsonObject }),
        ...(isOrdered && { maxBytes: READ_BYTES }),
      }
      const store = this.#storeOf(config)
      let { checkpoint_id: beforeId } = readPlace(before)
      for (let left = limit ?? Number.POSITIVE_INFINITY; left > 0; ) {
        const records = await store.list({
          ...query,
          ...(beforeId !== undefined && { before: beforeId }),
          ...(Number.isFinite(left) && { limit: left }),
        })
        for (const record of records) yield await this.#toTuple(record, store)
        const bytes = records.reduce((sum, record) => sum + sizeOf(record), 0)
        if (!isOrdered || bytes < READ_BYTES) return
        left -= records.length
        beforeId = records.at(-1)?.checkpoint_id
      }
    }

    override put(...given: Parameters<BaseCheckpointSaver['put']>): Promise<RunnableConfig> {
      return lookedAtLater(this.#put(...given))
    }

    override putWrites(...given: Parameters<BaseCheckpointSaver['putWrites']>): Promise<void> {
      return lookedAtLater(this.#putWrites(...given))
    }

    async #put(
      config: RunnableConfig,
      checkpoint: Checkpoint,
      metadata: CheckpointMetadata,
      newVersions: ChannelVersions,
    ): Promise<RunnableConfig> {
      const { checkpoint_id: parent, ...place } = readPlace(config)
      const key = requireKey({ ...place, checkpoint_id: checkpoint.id })
      const { channel_values, ...rest } = checkpoint
      const stored = {
        ...key,
        parent_checkpoint_id: parent ?? null,
        run_id: readRunId(config),
        checkpoint: await dump(this.serde, rest),
        metadata: collectMetadata(config, metadata),
      }
      const values = await this.#dumpChanged(channel_values, newVersions)
      const versions = Object.entries(checkpoint.channel_versions)
      const ofChannels = versions.map(([channel, version]) => [channel, String(version)])
      await this.#storeOf(config).put(stored, Object.fromEntries(ofChannels), values)
      return { configurable: key }
    }

    async #putWrites(
      config: RunnableConfig,
      writes: GraphWrite[],
      taskId: string,
      /** The order in which writes are read. LangGraph names it from 1.5 on. */
      taskPath = '',
    ): Promise<void> {
      const key = requireKey(readPlace(config))
      const failure = writes.find(([channel]) => channel === FAILURE)
      const failures = readFailures(config)
      if (failure) failures?.set(taskId, failure[1])
      const isRefused = refusesAnswer(taskPath, writes)
      if (isRefused && failures) failures.hasRefusedAnswer = true
      const kept = isRefused ? writes.filter(([channel]) => channel !== ANSWER) : writes
      const pending = await Promise.all(
        kept.map(async ([channel, value], place): Promise<PendingWrite> => {
          const idx = SPECIAL_WRITES[channel] ?? place
          const typed = await dumpOf(channel, this.serde, value)
          return { task_id: taskId, task_path: taskPath, channel, idx, ...typed }
        }),
      )
      await this.#storeOf(config).putWrites(key, pending)
    }

    override async deleteThread(threadId: string): Promise<void> {
      await this.#store.deleteThread(threadId)
    }

    /**
     * Versions count up, and end in a random part: two branches of one thread's history give the
     * same channel different values at the same count.
     */
    override getNextVersion(current: string | number | undefined): string {
      const count = current === undefined ? 0 : Number.parseInt(String(current), 10)
      const random = String(Math.floor(Math.random() * 1e12)).padStart(12, '0')
      return `${String(count + 1).padStart(16, '0')}.${random}`
    }

    /** Configs that carry the checkpointer are logged and traced. */
    override toJSON(): string {
      return '[Checkpointer]'
    }

    /** A channel that was emptied has a new version and no value. */
    #dumpChanged(values: Record<string, unknown>, versions: ChannelVersions) {
      const changed = Object.entries(versions).filter(([channel]) => channel in values)
      return Promise.all(
        changed.map(async ([channel, version]): Promise<ChannelValue> => {
          const typed = await dumpOf(channel, this.serde, values[channel])
          return { channel, version: String(version), ...typed }
        }),
      )
    }

    #storeOf(config: RunnableConfig): GraphCheckpoints {
      return readCheckpoints(config) ?? this.#store
    }

    async #toTuple(record: CheckpointRecord, store: GraphCheckpoints): Promise<CheckpointTuple> {
      const tuple = await toTuple(this.serde, record)
      const { checkpoint } = tuple
      if (!tuple.parentConfig || !needsWritesOfParent(checkpoint, form)) {
        return { ...tuple, checkpoint: withSends(checkpoint, form) }
      }
      const parent = await store.get(requireKey(readPlace(tuple.parentConfig)))
      const version = this.getNextVersion(undefined)
      const known = { writesOfParent: parent?.writes ?? [], version, form }
      return { ...tuple, checkpoint: await withPendingSends(this.serde, checkpoint, known) }
    }
  }
}

/** LangGraph awaits the promise later; a rejection before that must not count as unhandled. */
function lookedAtLater<T>(written: Promise<T>): Promise<T> {
  written.catch(() => {})
  return written
}

/**
 * The places of special writes, so that they replace each other and never collide with a task's
 * ordinary ones. Source: `WRITES_IDX_MAP` of `@langchain/langgraph-checkpoint`.
 */
const SPECIAL_WRITES: Readonly<Record<string, number>> = {
  [FAILURE]: -1,
  __scheduled__: -2,
  __interrupt__: -3,
  [ANSWER]: -4,
}
