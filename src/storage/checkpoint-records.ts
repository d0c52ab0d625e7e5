/** Reading checkpoints with their values and writes. */
import type {
  ChannelValue,
  CheckpointRecord,
  CheckpointStore,
  PendingWrite,
} from '../core/checkpoint.ts'
import type { JsonObject } from '../core/json.ts'
import { PartReader } from './channel-parts.ts'
import type { Db, SqlValue } from './db.ts'

interface CheckpointRow {
  thread_id: string
  checkpoint_ns: string
  checkpoint_id: string
  parent_checkpoint_id: string | null
  run_id: string | null
  type: string
  bytes: Uint8Array
  metadata: string
}

const COLUMNS = `thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, run_id, type, bytes,
  metadata`

const HERE = 'thread_id = $1 AND checkpoint_ns = $2 AND checkpoint_id = $3'

const GET = `SELECT ${COLUMNS} FROM checkpoints WHERE ${HERE}`

const LATEST = `
SELECT ${COLUMNS} FROM checkpoints WHERE thread_id = $1 AND checkpoint_ns = $2
ORDER BY checkpoint_id DESC LIMIT 1`

const WRITES = `
SELECT task_id, channel, idx, type, bytes FROM checkpoint_writes WHERE ${HERE}
ORDER BY task_id, idx, position`

export async function readCheckpoint(
  tx: Db,
  { thread_id, checkpoint_ns, checkpoint_id }: Parameters<CheckpointStore['get']>[0],
): Promise<CheckpointRecord | undefined> {
  const row = checkpoint_id
    ? await tx.get<CheckpointRow>(GET, [thread_id, checkpoint_ns, checkpoint_id])
    : await tx.get<CheckpointRow>(LATEST, [thread_id, checkpoint_ns])
  return row && complete(tx, row, new PartReader(tx, row.thread_id))
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
  for (const row of await tx.all<CheckpointRow>(sql, params)) {
    const reader = readers.get(row.thread_id) ?? new PartReader(tx, row.thread_id)
    readers.set(row.thread_id, reader)
    records.push(await complete(tx, row, reader))
  }
  return records
}

async function complete(tx: Db, row: CheckpointRow, reader: PartReader): Promise<CheckpointRecord> {
  const { type, bytes, metadata, ...key } = row
  const here = [key.thread_id, key.checkpoint_ns, key.checkpoint_id]
  const [kept, writes] = await Promise.all([
    tx.all<ChannelValue>(valuesSql(tx), here),
    tx.all<PendingWrite>(WRITES, here),
  ])
  const values = await reader.putTogether(kept)
  return {
    ...key,
    checkpoint: { type, bytes },
    metadata: JSON.parse(metadata) as JsonObject,
    values: values.map((value) => ({ ...value })),
    writes: uncovered(writes),
  }
}

// CROSS JOIN keeps SQLite to this order; else it reads every value of the thread for each checkpoint.
function valuesSql(tx: Db): string {
  return `
    SELECT v.channel, v.version, v.type, v.bytes
    FROM checkpoints AS c
    CROSS JOIN ${tx.json.entries('c.channel_versions')} AS e
    CROSS JOIN channel_values AS v
    WHERE c.thread_id = $1 AND c.checkpoint_ns = $2 AND c.checkpoint_id = $3
      AND v.thread_id = $1 AND v.checkpoint_ns = $2 AND v.channel = e.key AND v.version = e.value
    ORDER BY v.channel`
}

/** Of several runs' writes at one place: the first of a task's own, the last of the special ones. */
function uncovered(writes: PendingWrite[]): PendingWrite[] {
  const byPlace = new Map<string, PendingWrite>()
  for (const write of writes) {
    const place = `${write.task_id}/${write.idx}`
    if (write.idx < 0 || !byPlace.has(place)) byPlace.set(place, { ...write })
  }
  return [...byPlace.values()]
}
