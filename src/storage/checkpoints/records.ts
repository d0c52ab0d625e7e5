/** Reads checkpoints with their values and writes. */
import {
  type ChannelValue,
  type CheckpointRecord,
  type CheckpointStore,
  type PendingWrite,
  sizeOf,
} from '../../core/agent/checkpoint.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Db, SqlValue } from '../db/db.ts'
import { PartReader } from '../lists/parts.ts'
import { putTogether } from './channel-parts.ts'

interface CheckpointRow {
  thread_id: string
  checkpoint_ns: string
  checkpoint_id: string
  parent_checkpoint_id: string | null
  run_id: string | null
  type: string
  bytes: Uint8Array
  metadata: string
  channel_versions: string
}

const COLUMNS = `thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, run_id, type, bytes,
  metadata, channel_versions`

const HERE = 'thread_id = $1 AND checkpoint_ns = $2 AND checkpoint_id = $3'

const GET = `SELECT ${COLUMNS} FROM checkpoints WHERE ${HERE}`

const LATEST = `
SELECT ${COLUMNS} FROM checkpoints WHERE thread_id = $1 AND checkpoint_ns = $2
ORDER BY checkpoint_id DESC LIMIT 1`

const WRITES = `
SELECT task_id, channel, idx, type, bytes FROM checkpoint_writes WHERE ${HERE}
ORDER BY task_path, task_id, idx, position`

export async function readCheckpoint(
  tx: Db,
  { thread_id, checkpoint_ns, checkpoint_id }: Parameters<CheckpointStore['get']>[0],
): Promise<CheckpointRecord | undefined> {
  const row = checkpoint_id
    ? await tx.get<CheckpointRow>(GET, [thread_id, checkpoint_ns, checkpoint_id])
    : await tx.get<CheckpointRow>(LATEST, [thread_id, checkpoint_ns])
  return row && complete(tx, row, readerOf(tx, row))
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
    ...Object.entries(query.metadata ?? {}).map(([key, value]) =>
      tx.json.fieldEquals('metadata', place(key), place(JSON.stringify(value))),
    ),
  ]
  const where = conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : ''
  const limit = query.limit === undefined ? '' : `LIMIT ${place(query.limit)}`
  const sql = `SELECT ${COLUMNS} FROM checkpoints ${where} ORDER BY checkpoint_id DESC ${limit}`
  const records: CheckpointRecord[] = []
  const readers = new Map<string, PartReader>()
  let bytes = 0
  for (const row of await tx.all<CheckpointRow>(sql, params)) {
    const reader = readers.get(row.thread_id) ?? readerOf(tx, row)
    readers.set(row.thread_id, reader)
    const record = await complete(tx, row, reader)
    records.push(record)
    bytes += sizeOf(record)
    if (bytes >= (query.maxBytes ?? Number.POSITIVE_INFINITY)) break
  }
  return records
}

function readerOf(tx: Db, { thread_id }: CheckpointRow): PartReader {
  return new PartReader(tx, 'channel_parts', thread_id)
}

async function complete(tx: Db, row: CheckpointRow, reader: PartReader): Promise<CheckpointRecord> {
  const { type, bytes, metadata, channel_versions, ...key } = row
  const here = [key.thread_id, key.checkpoint_ns, key.checkpoint_id]
  const [kept, writes] = await Promise.all([
    readValues(tx, key, JSON.parse(channel_versions)),
    tx.all<PendingWrite>(WRITES, here),
  ])
  const values = await putTogether(reader, kept)
  return {
    ...key,
    checkpoint: { type, bytes },
    metadata: JSON.parse(metadata) as JsonObject,
    values: values.map((value) => ({ ...value })),
    writes: uncovered(writes),
  }
}

const valueAt = (column: string) => `(
  SELECT ${column} FROM channel_values
  WHERE thread_id = $1 AND checkpoint_ns = $2
    AND channel = wanted.column1 AND version = wanted.column2) AS ${column}`

/**
 * Looks up each value by its whole key, in a subquery of its own. With a join PostgreSQL may decide to
 * read all values of the thread, as long as it has no statistics for a new thread. Measured there: a page
 * of ten took twenty times as long with 1,000 checkpoints as with 10. The list is filled up to a power of
 * two, so that there are few SQL texts.
 */
async function readValues(
  tx: Db,
  { thread_id, checkpoint_ns }: Pick<CheckpointRow, 'thread_id' | 'checkpoint_ns'>,
  versions: Record<string, string>,
): Promise<ChannelValue[]> {
  const wanted: [SqlValue, SqlValue][] = Object.entries(versions)
  if (wanted.length === 0) return []
  while (!Number.isInteger(Math.log2(wanted.length))) wanted.push([null, null])
  const params: SqlValue[] = [thread_id, checkpoint_ns]
  const rows = wanted.map(([channel, version]) => {
    return `($${params.push(channel)}, $${params.push(version)})`
  })
  const sql = `
    SELECT wanted.column1 AS channel, wanted.column2 AS version, ${valueAt('type')}, ${valueAt('bytes')}
    FROM (VALUES ${rows.join(', ')}) AS wanted`
  const found = await tx.all<ChannelValue>(sql, params)
  // An empty channel has a version and no value.
  const values = found.filter(({ type }) => type !== null)
  return values.toSorted((a, b) => (a.channel < b.channel ? -1 : 1))
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
