/** Stores checkpoints and writes of tasks, as few statements as there are tables. */
import type {
  ChannelValue,
  CheckpointPut,
  CheckpointWithValues,
  CheckpointWrites,
  PendingWrite,
  StoredCheckpoint,
} from '../../core/agent/checkpoint.ts'
import type { SqlValue, Statement } from '../db/db.ts'
import { insertStatements } from '../db/many-rows.ts'
import { encodeJson } from '../db/table.ts'
import { partStatements } from '../lists/list-parts.ts'
import { takeApart } from './channel-parts.ts'

export const CHECKPOINT_COLUMNS = [
  'thread_id',
  'checkpoint_ns',
  'checkpoint_id',
  'parent_checkpoint_id',
  'run_id',
  'type',
  'bytes',
  'metadata',
  'channel_versions',
]

const CHECKPOINT_AGAIN = `
ON CONFLICT (thread_id, checkpoint_ns, checkpoint_id) DO UPDATE
SET parent_checkpoint_id = excluded.parent_checkpoint_id, run_id = excluded.run_id,
  type = excluded.type, bytes = excluded.bytes, metadata = excluded.metadata,
  channel_versions = excluded.channel_versions`

const VALUE_COLUMNS = ['thread_id', 'checkpoint_ns', 'channel', 'version', 'type', 'bytes']

// A version names the same value for ever, and other checkpoints may share it.
const VALUE_AGAIN = 'ON CONFLICT DO NOTHING'

const WRITE_COLUMNS = [
  'thread_id',
  'checkpoint_ns',
  'checkpoint_id',
  'task_id',
  'idx',
  'run_id',
  'task_path',
  'channel',
  'type',
  'bytes',
]

// A task's writes stay. Only the special ones are replaced by later ones.
const WRITE_AGAIN = `
ON CONFLICT (thread_id, checkpoint_ns, checkpoint_id, task_id, idx, run_id) DO UPDATE
SET task_path = excluded.task_path, channel = excluded.channel, type = excluded.type,
  bytes = excluded.bytes
WHERE excluded.idx < 0`

/** The statements that store `puts` as if one came after the other. `run_id`: the run that made the tasks' writes. */
export function putStatements(puts: readonly CheckpointPut[], run_id: string): Statement[] {
  const checkpoints = puts.flatMap((put) => ('versions' in put ? [put] : []))
  const writes = puts.flatMap((put) => ('writes' in put ? [put] : []))
  return [
    ...valueStatements(checkpoints),
    ...insertStatements(
      'checkpoints',
      CHECKPOINT_COLUMNS,
      checkpointRows(checkpoints),
      CHECKPOINT_AGAIN,
    ),
    ...insertStatements('checkpoint_writes', WRITE_COLUMNS, writeRows(writes, run_id), WRITE_AGAIN),
  ]
}

/** Each row once: a statement may not change one twice. */
function checkpointRows(puts: readonly CheckpointWithValues[]): SqlValue[][] {
  const rows = new Map<string, SqlValue[]>()
  for (const { checkpoint: stored, versions } of puts) {
    const { thread_id, checkpoint_ns, checkpoint_id } = stored
    const key = [thread_id, checkpoint_ns, checkpoint_id]
    const { type, bytes } = stored.checkpoint
    rows.set(JSON.stringify(key), [
      ...key,
      stored.parent_checkpoint_id,
      stored.run_id,
      type,
      bytes,
      encodeJson(stored.metadata),
      encodeJson(versions),
    ])
  }
  return [...rows.values()]
}

/** Adds the parts first, so that a reader of a value finds all of it. */
function valueStatements(puts: readonly CheckpointWithValues[]): Statement[] {
  const kept = puts.flatMap(({ checkpoint, values }) =>
    values.map((value) => ({ checkpoint, ...takeApart(value) })),
  )
  const threads = Map.groupBy(kept, ({ checkpoint }) => checkpoint.thread_id)
  const parts = [...threads].flatMap(([thread_id, ofThread]) =>
    partStatements(
      'channel_parts',
      thread_id,
      ofThread.flatMap((one) => one.parts),
    ),
  )
  const rows = kept.map(({ checkpoint, value }) => valueRow(checkpoint, value))
  return [...parts, ...insertStatements('channel_values', VALUE_COLUMNS, rows, VALUE_AGAIN)]
}

function valueRow(
  { thread_id, checkpoint_ns }: StoredCheckpoint,
  { channel, version, type, bytes }: ChannelValue,
): SqlValue[] {
  return [thread_id, checkpoint_ns, channel, version, type, bytes]
}

function writeRows(puts: readonly CheckpointWrites[], run_id: string): SqlValue[][] {
  const rows = new Map<string, SqlValue[]>()
  for (const { key, writes } of puts) {
    for (const write of writes) {
      const place = [key.thread_id, key.checkpoint_ns, key.checkpoint_id, write.task_id, write.idx]
      const id = JSON.stringify(place)
      if (write.idx < 0 || !rows.has(id)) rows.set(id, [...place, run_id, ...contentOf(write)])
    }
  }
  return [...rows.values()]
}

function contentOf({ task_path = '', channel, type, bytes }: PendingWrite): SqlValue[] {
  return [task_path, channel, type, bytes]
}
