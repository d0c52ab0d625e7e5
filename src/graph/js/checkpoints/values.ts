/** Converts values and whole checkpoints to and from storage with a project's serializer. */
import type {
  Checkpoint,
  CheckpointMetadata,
  CheckpointPendingWrite,
  CheckpointTuple,
  SerializerProtocol,
} from '@langchain/langgraph-checkpoint'
import type { CheckpointRecord, PendingWrite, TypedBytes } from '../../../core/agent/checkpoint.ts'
import { AppError } from '../../../core/errors.ts'
import { withPlainNumbers } from '../../../core/exact-json.ts'
import { cutJsonList } from '../../../core/json-list.ts'
import { LARGE, ownTurn } from '../../../core/turn.ts'
import { UnstorableValue } from './stored-json.ts'

const INTERRUPT = '__interrupt__'

/** Values passed in one turn are serialized in that turn: later changes by the graph have no effect. */
export async function dump(serde: SerializerProtocol, value: unknown): Promise<TypedBytes> {
  const [type, bytes] = await serde.dumpsTyped(value)
  if (bytes.length > LARGE) await ownTurn()
  return { type, bytes }
}

/**
 * The value of a channel. Throws `bad_request` for one that cannot be stored, with the channel's name and what to do.
 */
export async function dumpOf(
  channel: string,
  serde: SerializerProtocol,
  value: unknown,
): Promise<TypedBytes> {
  try {
    return await dump(serde, value)
  } catch (cause) {
    if (!(cause instanceof UnstorableValue)) throw cause
    const what = SPECIAL[channel] ?? `The value of the channel "${channel}"`
    throw new AppError('bad_request', `${what} cannot be stored: ${cause.message}.`, { cause })
  }
}

/** How messages name the channels that LangGraph adds to a graph's own. */
const SPECIAL: Readonly<Record<string, string>> = {
  [INTERRUPT]: 'The value of an interrupt',
  __resume__: 'The answer to an interrupt',
  __start__: 'The input',
  __pregel_tasks: 'What a Send carries',
  __return__: 'What a task returned',
}

/** A long list is revived in pieces: its items do not refer to each other. */
export async function load(
  serde: SerializerProtocol,
  { type, bytes }: TypedBytes,
): Promise<unknown> {
  if (bytes.length <= LARGE) return serde.loadsTyped(type, bytes)
  const lists = type === 'json' ? cutJsonList(bytes, LARGE) : undefined
  if (!lists) {
    const value = await serde.loadsTyped(type, bytes)
    await ownTurn()
    return value
  }
  const items: unknown[] = []
  for (const list of lists) {
    const revived: unknown[] = await serde.loadsTyped(type, list)
    // One by one: there may be too many for the arguments of one call.
    for (const item of revived) items.push(item)
    await ownTurn()
  }
  return items
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
    metadata: withPlainNumbers(record.metadata) as unknown as CheckpointMetadata,
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
  const value = await load(serde, write)
  return [write.task_id, write.channel, write.channel === INTERRUPT ? withId(value) : value]
}

/** Before 0.4 LangGraph wrote the id of an interrupt, if any, under another name. */
function withId(interrupt: unknown): unknown {
  const { interrupt_id } = (interrupt ?? {}) as { interrupt_id?: unknown }
  return interrupt_id === undefined ? interrupt : { id: interrupt_id, ...(interrupt as object) }
}
