/** Copies, cuts and measures the whole history of a thread's checkpoints. */
import type { CheckpointStore, StorageUse } from '../../core/agent/checkpoint.ts'
import { parseJson } from '../../core/exact-json.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Db } from '../db/db.ts'
import { encodeJson } from '../db/table.ts'
import { deleteUnusedParts } from './channel-parts.ts'

type Histories = Pick<
  CheckpointStore,
  'latestId' | 'copyThread' | 'keepLatest' | 'patchMetadata' | 'measure'
>

const LATEST_ID = `
SELECT checkpoint_id FROM checkpoints WHERE thread_id = $1 AND checkpoint_ns = $2
ORDER BY checkpoint_id DESC LIMIT 1`

export function createCheckpointHistories(db: Db): Histories {
  return {
    async latestId(thread_id, checkpoint_ns = '') {
      const row = await db.get<{ checkpoint_id: string }>(LATEST_ID, [thread_id, checkpoint_ns])
      return row?.checkpoint_id
    },
    copyThread: (from, to) =>
      db.transaction(async (tx) => {
        for (const statement of COPIES) await tx.run(statement, [from, to])
      }),
    keepLatest: (thread_id) => db.transaction((tx) => keepLatest(tx, thread_id)),
    patchMetadata: (key, metadata) =>
      db.transaction(async (tx) => {
        const here = [key.thread_id, key.checkpoint_ns, key.checkpoint_id]
        const row = await tx.get<{ metadata: string }>(GET_METADATA + tx.rowLocks.wait, here)
        if (!row) return
        const merged = { ...(parseJson(row.metadata) as JsonObject), ...metadata }
        await tx.run(SET_METADATA, [...here, encodeJson(merged)])
      }, []),
    measure: (thread_id) => db.snapshot((tx) => measure(tx, thread_id)),
  }
}

const HERE = 'thread_id = $1 AND checkpoint_ns = $2 AND checkpoint_id = $3'
const GET_METADATA = `SELECT metadata FROM checkpoints WHERE ${HERE}`
const SET_METADATA = `UPDATE checkpoints SET metadata = $4 WHERE ${HERE}`

/** The columns except the thread. Writes are copied in the order in which they were written. */
const COPIED_COLUMNS = {
  checkpoints: `checkpoint_ns, checkpoint_id, parent_checkpoint_id, run_id, type, bytes, metadata,
    channel_versions`,
  channel_parts: 'hash, bytes',
  channel_values: 'checkpoint_ns, channel, version, type, bytes',
  checkpoint_writes: `checkpoint_ns, checkpoint_id, task_id, idx, run_id, task_path, channel, type,
    bytes`,
}

const COPIES = Object.entries(COPIED_COLUMNS).map(
  ([table, columns]) => `
    INSERT INTO ${table} (thread_id, ${columns})
    SELECT $2, ${columns} FROM ${table} WHERE thread_id = $1
    ${table === 'checkpoint_writes' ? 'ORDER BY position' : ''}`,
)

/** The latest checkpoint of each namespace. */
const LATEST = `
SELECT c.checkpoint_ns, c.checkpoint_id, c.parent_checkpoint_id, c.metadata, c.channel_versions
FROM (SELECT checkpoint_ns AS ns, max(checkpoint_id) AS id FROM checkpoints
  WHERE thread_id = $1 GROUP BY checkpoint_ns) AS latest
JOIN checkpoints AS c
  ON c.thread_id = $1 AND c.checkpoint_ns = latest.ns AND c.checkpoint_id = latest.id`

async function keepLatest(tx: Db, thread_id: string): Promise<void> {
  const latest = await tx.all<Cut>(LATEST, [thread_id])
  const root = latest.find((one) => one.checkpoint_ns === '')?.checkpoint_id
  const kept = latest.filter((one) => belongsTo(root, one))
  const places: string[] = []
  for (const one of kept) {
    const ids = [one.checkpoint_id, ...(await neededBefore(tx, thread_id, one))]
    places.push(...ids.map((id) => `${one.checkpoint_ns}/${id}`))
  }
  const params = [thread_id, JSON.stringify(places)]
  const isKept = `checkpoint_ns || '/' || checkpoint_id IN ${tx.json.texts('$2')}`
  const statements = [
    `DELETE FROM checkpoint_writes WHERE thread_id = $1 AND NOT ${isKept}`,
    `DELETE FROM checkpoints WHERE thread_id = $1 AND NOT ${isKept}`,
  ]
  for (const statement of statements) await tx.run(statement, params)
  await tx.run(deleteUnusedValues(tx), [thread_id])
  await deleteUnusedParts(tx, thread_id)
}

/**
 * Whether the namespace belongs to the root's checkpoint that is kept. A subgraph's namespace ends with its task,
 * `name:task`: it is needed only if it was called from that checkpoint. A namespace without a task is a memory that
 * every call continues.
 */
function belongsTo(root: string | undefined, { checkpoint_ns, metadata }: Cut): boolean {
  if (!checkpoint_ns.includes(':')) return true
  const { parents } = parseJson(metadata) as { parents?: Record<string, string> }
  return parents?.[''] === undefined || parents[''] === root
}

function deleteUnusedValues(tx: Db): string {
  return `
    DELETE FROM channel_values
    WHERE thread_id = $1 AND (checkpoint_ns, channel, version) NOT IN (
      SELECT c.checkpoint_ns, e.key, e.value
      FROM checkpoints AS c CROSS JOIN ${tx.json.entries('c.channel_versions')} AS e
      WHERE c.thread_id = $1)`
}

const MEASURE_CHECKPOINTS = `
SELECT count(*) AS count,
  coalesce(sum(octet_length(bytes) + octet_length(metadata) + octet_length(channel_versions)), 0)
    AS bytes
FROM checkpoints WHERE thread_id = $1`

const MEASURE_VALUES = `
SELECT channel, count(*) AS versions, sum(octet_length(bytes)) AS bytes
FROM channel_values WHERE thread_id = $1 GROUP BY channel ORDER BY channel`

const MEASURE_PARTS = `
SELECT count(*) AS count, coalesce(sum(octet_length(bytes)), 0) AS bytes
FROM channel_parts WHERE thread_id = $1`

const MEASURE_WRITES = `
SELECT count(*) AS count, coalesce(sum(octet_length(bytes)), 0) AS bytes
FROM checkpoint_writes WHERE thread_id = $1`

interface Sum {
  count: number
  bytes: number
}

async function measure(tx: Db, thread_id: string): Promise<StorageUse> {
  const checkpoints = await tx.get<Sum>(MEASURE_CHECKPOINTS, [thread_id])
  const writes = await tx.get<Sum>(MEASURE_WRITES, [thread_id])
  const parts = await tx.get<Sum>(MEASURE_PARTS, [thread_id])
  const channels = await tx.all<{ channel: string; versions: number; bytes: number }>(
    MEASURE_VALUES,
    [thread_id],
  )
  const total = (of: 'versions' | 'bytes') =>
    channels.reduce((sum, one) => sum + Number(one[of]), 0)
  return {
    checkpoints: toSum(checkpoints),
    channel_values: {
      count: total('versions'),
      bytes: total('bytes') + toSum(parts).bytes,
      by_channel: Object.fromEntries(
        channels.map(({ channel, versions, bytes }) => [
          channel,
          { versions: Number(versions), bytes: Number(bytes) },
        ]),
      ),
    },
    pending_writes: toSum(writes),
  }
}

function toSum(row: Sum | undefined): Sum {
  return { count: Number(row?.count ?? 0), bytes: Number(row?.bytes ?? 0) }
}

// Channels that store what was written to them, and their whole value only now and then: `DeltaChannel` of LangGraph
// for Python. Their value at a checkpoint is built from the checkpoints before it.

/** A checkpoint before which a history is cut. */
interface Cut {
  checkpoint_ns: string
  checkpoint_id: string
  parent_checkpoint_id: string | null
  /** JSON. */
  metadata: string
  channel_versions: string
}

const PARENT = `
SELECT checkpoint_id, parent_checkpoint_id, channel_versions FROM checkpoints
WHERE thread_id = $1 AND checkpoint_ns = $2 AND checkpoint_id = $3`

const VALUE = `
SELECT 1 FROM channel_values
WHERE thread_id = $1 AND checkpoint_ns = $2 AND channel = $3 AND version = $4`

/** The ids of the earlier checkpoints that this one's channels need: back to the last whole value of each. */
async function neededBefore(tx: Db, thread_id: string, cut: Cut): Promise<string[]> {
  const needed: string[] = []
  let missing = await withoutValue(tx, thread_id, cut, cut, deltaChannels(cut))
  let above = cut.parent_checkpoint_id
  while (missing.length > 0 && above !== null && !needed.includes(above)) {
    const parent = await tx.get<Cut>(PARENT, [thread_id, cut.checkpoint_ns, above])
    if (!parent) break
    needed.push(above)
    missing = await withoutValue(tx, thread_id, cut, parent, missing)
    above = parent.parent_checkpoint_id
  }
  return needed
}

/**
 * The delta channels that have been written to. LangGraph counts the steps since each channel's last whole value, and
 * leaves out channels that have it.
 */
function deltaChannels({ metadata, channel_versions }: Cut): string[] {
  const { counters_since_delta_snapshot: counters } = JSON.parse(metadata) as {
    counters_since_delta_snapshot?: Record<string, unknown>
  }
  const versions: Record<string, string> = JSON.parse(channel_versions)
  return Object.keys(counters ?? {}).filter((channel) => Object.hasOwn(versions, channel))
}

/** The channels that have no stored value at this checkpoint. */
async function withoutValue(
  tx: Db,
  thread_id: string,
  { checkpoint_ns }: Cut,
  { channel_versions }: Pick<Cut, 'channel_versions'>,
  channels: string[],
): Promise<string[]> {
  const versions: Record<string, string> = JSON.parse(channel_versions)
  const missing: string[] = []
  for (const channel of channels) {
    const place = [thread_id, checkpoint_ns, channel, versions[channel] ?? '']
    if (!(await tx.get(VALUE, place))) missing.push(channel)
  }
  return missing
}
