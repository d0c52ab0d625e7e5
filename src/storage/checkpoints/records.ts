/** Reads checkpoints with their values and writes. */
import {
  type ChannelValue,
  type CheckpointKey,
  type CheckpointRecord,
  type CheckpointStore,
  type PendingWrite,
  sizeOf,
} from '../../core/agent/checkpoint.ts'
import { parseJson } from '../../core/exact-json.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Db, SqlValue } from '../db/db.ts'
import { PartReader } from '../lists/list-parts.ts'
import { putTogether } from './channel-parts.ts'
import { CHECKPOINT_COLUMNS } from './puts.ts'

const COLUMNS = CHECKPOINT_COLUMNS.join(', ')

/** A row of the checkpoint itself, of one of its values, or of a write. */
interface FoundRow {
  kind: 'checkpoint' | 'value' | 'write'
  /** Of writes: their order. */
  place: number
  /** `found` defines what `a` to `e` are. */
  a: string
  b: string | null
  c: string | null
  d: string | null
  e: string | null
  idx: number
  type: string | null
  bytes: Uint8Array
}

/**
 * Each value is looked up by its whole key, in a subquery of its own. With a join PostgreSQL may decide to read all
 * values of the thread, as long as it has no statistics for a new thread. Measured there: a page of ten took twenty
 * times as long with 1,000 checkpoints as with 10.
 */
const valueOfEntry = (column: string) => `(
  SELECT ${column} FROM channel_values
  WHERE thread_id = $1 AND checkpoint_ns = $2 AND channel = entry.key AND version = entry.value)`

/** All in one statement, so that it sees one state of the database and costs one round trip. */
const found = (json: Db['json'], which: string) => `
WITH found AS MATERIALIZED (
  SELECT ${COLUMNS} FROM checkpoints WHERE thread_id = $1 AND checkpoint_ns = $2 ${which}
)
SELECT 'checkpoint' AS kind, 0 AS place, checkpoint_id AS a, parent_checkpoint_id AS b, run_id AS c, metadata AS d,
  channel_versions AS e, 0 AS idx, type, bytes FROM found
UNION ALL
SELECT 'value', 0, entry.key, entry.value, NULL, NULL, NULL, 0, ${valueOfEntry('type')}, ${valueOfEntry('bytes')}
FROM found CROSS JOIN ${json.entries('found.channel_versions')} AS entry
UNION ALL
SELECT 'write', row_number() OVER (ORDER BY task_path, task_id, idx, position), task_id, channel,
  NULL, NULL, NULL, idx, type, bytes
FROM checkpoint_writes
WHERE thread_id = $1 AND checkpoint_ns = $2 AND checkpoint_id = (SELECT checkpoint_id FROM found)`

const GET = (json: Db['json']) => found(json, 'AND checkpoint_id = $3')

const LATEST = (json: Db['json']) => found(json, 'ORDER BY checkpoint_id DESC LIMIT 1')

/**
 * A checkpoint with its values and writes. The parts of lists are read after it; outside a transaction they may be gone
 * by then: `MissingPart`.
 */
export async function readCheckpoint(
  db: Db,
  { thread_id, checkpoint_ns, checkpoint_id }: Parameters<CheckpointStore['get']>[0],
  reader = new PartReader(db, 'channel_parts', thread_id),
): Promise<CheckpointRecord | undefined> {
  const rows = checkpoint_id
    ? await db.all<FoundRow>(GET(db.json), [thread_id, checkpoint_ns, checkpoint_id])
    : await db.all<FoundRow>(LATEST(db.json), [thread_id, checkpoint_ns])
  const row = rows.find(({ kind }) => kind === 'checkpoint')
  if (!row) return undefined
  // An empty channel has a version and no value.
  const kept = rows.filter(({ kind, type }) => kind === 'value' && type !== null)
  const writes = rows.filter(({ kind }) => kind === 'write')
  const values = await putTogether(reader, kept.map(toValue).toSorted(byChannel))
  return {
    ...{ thread_id, checkpoint_ns, checkpoint_id: row.a },
    ...{ parent_checkpoint_id: row.b, run_id: row.c },
    checkpoint: { type: row.type ?? '', bytes: row.bytes },
    metadata: parseJson(row.d ?? '{}') as JsonObject,
    values,
    writes: uncovered(writes.toSorted((one, other) => one.place - other.place).map(toWrite)),
  }
}

function toValue({ a: channel, b: version, type, bytes }: FoundRow): ChannelValue {
  return { channel, version: version ?? '', type: type ?? '', bytes }
}

function toWrite({ a: task_id, b: channel, idx, type, bytes }: FoundRow): PendingWrite {
  return { task_id, channel: channel ?? '', idx, type: type ?? '', bytes }
}

function byChannel(a: ChannelValue, b: ChannelValue): number {
  return a.channel < b.channel ? -1 : 1
}

export async function readCheckpoints(
  tx: Db,
  query: Parameters<CheckpointStore['list']>[0],
): Promise<CheckpointRecord[]> {
  const params: SqlValue[] = []
  const place = (value: SqlValue) => `$${params.push(value)}`
  const conditions = [
    ...(query.thread_id === undefined ? [] : [`thread_id = ${place(query.thread_id)}`]),
    ...(query.checkpoint_ns === undefined ? [] : [`checkpoint_ns = ${place(query.checkpoint_ns)}`]),
    ...(query.checkpoint_id === undefined ? [] : [`checkpoint_id = ${place(query.checkpoint_id)}`]),
    ...(query.before === undefined ? [] : [`checkpoint_id < ${place(query.before)}`]),
    ...(query.metadata === undefined
      ? []
      : [tx.json.fieldsEqual('metadata', place(JSON.stringify(query.metadata)))]),
  ]
  const where = conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : ''
  const limit = query.limit === undefined ? '' : `LIMIT ${place(query.limit)}`
  const sql = `
    SELECT thread_id, checkpoint_ns, checkpoint_id FROM checkpoints ${where}
    ORDER BY checkpoint_id DESC ${limit}`
  const records: CheckpointRecord[] = []
  const readers = new Map<string, PartReader>()
  let bytes = 0
  for (const key of await tx.all<CheckpointKey>(sql, params)) {
    const { thread_id } = key
    const reader = readers.get(thread_id) ?? new PartReader(tx, 'channel_parts', thread_id)
    readers.set(thread_id, reader)
    const record = await readCheckpoint(tx, key, reader)
    if (!record) continue
    records.push(record)
    bytes += sizeOf(record)
    if (bytes >= (query.maxBytes ?? Number.POSITIVE_INFINITY)) break
  }
  return records
}

/**
 * Several runs may have written to one place: the first of a task's own writes counts, and the last of
 * the special ones.
 */
function uncovered(writes: PendingWrite[]): PendingWrite[] {
  const byPlace = new Map<string, PendingWrite>()
  for (const write of writes) {
    const place = `${write.task_id}/${write.idx}`
    if (write.idx < 0 || !byPlace.has(place)) byPlace.set(place, { ...write })
  }
  return [...byPlace.values()]
}
