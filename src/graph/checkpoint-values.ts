/** Values and whole checkpoints through a project's serializer, to what storage keeps and back. */
import type {
  Checkpoint,
  CheckpointMetadata,
  CheckpointPendingWrite,
  CheckpointTuple,
  SerializerProtocol,
} from '@langchain/langgraph-checkpoint'
import type { CheckpointRecord, PendingWrite, TypedBytes } from '../core/checkpoint.ts'

/** The channel of the `Send`s that wait for the next step. */
const SENDS = '__pregel_tasks'

export async function dump(serde: SerializerProtocol, value: unknown): Promise<TypedBytes> {
  const [type, bytes] = await serde.dumpsTyped(value)
  return { type, bytes }
}

function load(serde: SerializerProtocol, { type, bytes }: TypedBytes): Promise<unknown> {
  return serde.loadsTyped(type, bytes)
}

/** A record as LangGraph reads it, with the configs that name it and its parent. */
export async function toTuple(
  serde: SerializerProtocol,
  record: CheckpointRecord,
): Promise<CheckpointTuple> {
  const { thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id } = record
  const [checkpoint, pendingWrites] = await Promise.all([
    toCheckpoint(serde, record),
    Promise.all(record.writes.map((write) => toPendingWrite(serde, write))),
  ])
  const tuple: CheckpointTuple = {
    config: { configurable: { thread_id, checkpoint_ns, checkpoint_id } },
    checkpoint,
    metadata: record.metadata as unknown as CheckpointMetadata,
    pendingWrites,
  }
  if (parent_checkpoint_id === null) return tuple
  const parent = { thread_id, checkpoint_ns, checkpoint_id: parent_checkpoint_id }
  return { ...tuple, parentConfig: { configurable: parent } }
}

async function toCheckpoint(
  serde: SerializerProtocol,
  record: CheckpointRecord,
): Promise<Checkpoint> {
  const rest = (await load(serde, record.checkpoint)) as Omit<Checkpoint, 'channel_values'>
  const values = await Promise.all(
    record.values.map(async (value) => [value.channel, await load(serde, value)] as const),
  )
  return { ...rest, channel_values: Object.fromEntries(values) }
}

async function toPendingWrite(
  serde: SerializerProtocol,
  write: PendingWrite,
): Promise<CheckpointPendingWrite> {
  return [write.task_id, write.channel, await load(serde, write)]
}

/**
 * Before format 4 a step's `Send`s were kept as writes of the checkpoint before it: this puts them
 * where later formats have them. `version` is the channel's, if the checkpoint has none at all.
 */
export async function withPendingSends(
  serde: SerializerProtocol,
  checkpoint: Checkpoint,
  writesOfParent: PendingWrite[],
  version: string,
): Promise<Checkpoint> {
  const sends = writesOfParent.filter((write) => write.channel === SENDS)
  const versions = Object.values(checkpoint.channel_versions).toSorted(compareVersions)
  const values = await Promise.all(sends.map((send) => load(serde, send)))
  return {
    ...checkpoint,
    channel_values: { ...checkpoint.channel_values, [SENDS]: values },
    channel_versions: { ...checkpoint.channel_versions, [SENDS]: versions.at(-1) ?? version },
  }
}

/** Versions are all numbers or all strings that sort as text. */
function compareVersions(a: string | number, b: string | number): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
