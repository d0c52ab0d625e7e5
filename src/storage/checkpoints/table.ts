/**
 * Checkpoints in three tables: the checkpoint with the version of each channel, the values by version,
 * and the pending writes by their run.
 */
import type {
  ChannelValue,
  CheckpointKey,
  CheckpointRecord,
  CheckpointStore,
  HeldLease,
  PendingWrite,
  StoredCheckpoint,
} from '../../core/agent/checkpoint.ts'
import type { Lease } from '../../core/agent/run.ts'
import { type TimelineCheckpoint, timeOfCheckpoint } from '../../core/agent/timeline/timeline.ts'
import type { Db, Statement } from '../db/db.ts'
import { encodeJson } from '../db/json-columns.ts'
import { GroupedBatches } from '../leases/grouped-batches.ts'
import { MissingPart, partStatements } from '../lists/parts.ts'
import { deleteUnusedParts, isInParts, takeApart } from './channel-parts.ts'
import { createCheckpointHistories } from './histories.ts'
import { readCheckpoint, readCheckpoints } from './records.ts'

const PUT = `
INSERT INTO checkpoints (thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, run_id,
  type, bytes, metadata, channel_versions)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
ON CONFLICT (thread_id, checkpoint_ns, checkpoint_id) DO UPDATE
SET parent_checkpoint_id = excluded.parent_checkpoint_id, run_id = excluded.run_id,
  type = excluded.type, bytes = excluded.bytes, metadata = excluded.metadata,
  channel_versions = excluded.channel_versions`

// A version names the same value for ever, and other checkpoints may share it.
const PUT_VALUE = `
INSERT INTO channel_values (thread_id, checkpoint_ns, channel, version, type, bytes)
VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT DO NOTHING`

// A task's writes stay. Only the special ones are replaced by later ones.
const PUT_WRITE = `
INSERT INTO checkpoint_writes
  (thread_id, checkpoint_ns, checkpoint_id, task_id, idx, run_id, task_path, channel, type, bytes)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
ON CONFLICT (thread_id, checkpoint_ns, checkpoint_id, task_id, idx, run_id) DO UPDATE
SET task_path = excluded.task_path, channel = excluded.channel, type = excluded.type,
  bytes = excluded.bytes
WHERE excluded.idx < 0`

const LIST_OF = `
SELECT checkpoint_id, checkpoint_ns, parent_checkpoint_id, metadata FROM checkpoints
WHERE run_id = $1 AND thread_id = $2 ORDER BY checkpoint_id LIMIT $3`

const HAS_CHECKPOINT_OF = `
SELECT 1 FROM checkpoints
WHERE run_id = $2 AND thread_id = $1 AND checkpoint_ns = '' LIMIT 1`

const HAS_WRITES_OF = 'SELECT 1 FROM checkpoint_writes WHERE run_id = $2 AND thread_id = $1 LIMIT 1'

const HAS_ANY_OF = 'SELECT 1 FROM checkpoints WHERE run_id = $2 AND thread_id = $1 LIMIT 1'

const ACTIVE_RUNS = `
SELECT 1 FROM runs WHERE thread_id = $1 AND status IN ('pending', 'running') ORDER BY seq`

const TABLES = ['checkpoints', 'channel_values', 'channel_parts', 'checkpoint_writes']

export function createCheckpointStore(db: Db): CheckpointStore {
  const groups = new GroupedBatches(db)
  const write = async (lease: Lease | HeldLease | undefined, statements: Statement[]) => {
    if (lease && !isHeld(lease)) await groups.write(lease, statements)
    else await db.batch(statements)
  }
  return {
    put: (checkpoint, versions, values, lease) =>
      write(lease, [putStatement(checkpoint, versions), ...valueStatements(checkpoint, values)]),
    putWrites: (key, writes, lease) =>
      write(
        lease,
        writes.map((one) => writeStatement(key, one, runOf(lease))),
      ),
    get: (at) =>
      readCheckpoint(db, at).catch((error: unknown) => {
        if (!(error instanceof MissingPart)) throw error
        return db.snapshot((tx) => readCheckpoint(tx, at))
      }),
    list: (query): Promise<CheckpointRecord[]> => db.snapshot((tx) => readCheckpoints(tx, query)),
    deleteThread: (thread_id) =>
      db.transaction(async (tx) => {
        for (const table of TABLES) {
          await tx.run(`DELETE FROM ${table} WHERE thread_id = $1`, [thread_id])
        }
      }, []),
    deleteRun: (thread_id, run_id) => db.transaction((tx) => deleteRun(tx, thread_id, run_id), []),
    ...createCheckpointHistories(db),
    async listOf({ thread_id, run_id }, limit) {
      return (await db.all<PlaceRow>(LIST_OF, [run_id, thread_id, limit])).map(toTimeline)
    },
    async hasCheckpointOf(thread_id, run_id) {
      return (await db.get(HAS_CHECKPOINT_OF, [thread_id, run_id])) !== undefined
    },
    async hasWritesOf(thread_id, run_id) {
      return (await db.get(HAS_WRITES_OF, [thread_id, run_id])) !== undefined
    },
  }
}

function isHeld(lease: Lease | HeldLease): lease is HeldLease {
  return 'held_run_id' in lease
}

/** Empty where an update through the API writes. */
function runOf(lease: Lease | HeldLease | undefined): string {
  if (!lease) return ''
  return isHeld(lease) ? lease.held_run_id : lease.run_id
}

interface PlaceRow extends Omit<TimelineCheckpoint, 'step' | 'source' | 'created_at'> {
  metadata: string
}

function toTimeline({ metadata, ...place }: PlaceRow): TimelineCheckpoint {
  const { step, source } = JSON.parse(metadata) as { step?: unknown; source?: unknown }
  return {
    ...place,
    step: typeof step === 'number' ? step : null,
    source: typeof source === 'string' ? source : null,
    created_at: timeOfCheckpoint(place.checkpoint_id),
  }
}

function putStatement(stored: StoredCheckpoint, versions: Record<string, string>): Statement {
  const params = [
    stored.thread_id,
    stored.checkpoint_ns,
    stored.checkpoint_id,
    stored.parent_checkpoint_id,
    stored.run_id,
    stored.checkpoint.type,
    stored.checkpoint.bytes,
    encodeJson(stored.metadata),
    encodeJson(versions),
  ]
  return { sql: PUT, params }
}

/** Adds the parts first: whoever sees a value finds all of it. */
function valueStatements(
  { thread_id, checkpoint_ns }: StoredCheckpoint,
  values: ChannelValue[],
): Statement[] {
  const kept = values.map(takeApart)
  const parts = kept.flatMap((one) => one.parts)
  return [
    ...partStatements('channel_parts', thread_id, parts),
    ...kept.map(({ value: { channel, version, type, bytes } }) => ({
      sql: PUT_VALUE,
      params: [thread_id, checkpoint_ns, channel, version, type, bytes],
    })),
  ]
}

function writeStatement(
  { thread_id, checkpoint_ns, checkpoint_id }: CheckpointKey,
  { task_id, idx, task_path = '', channel, type, bytes }: PendingWrite,
  run_id: string,
): Statement {
  const place = [thread_id, checkpoint_ns, checkpoint_id, task_id, idx, run_id]
  return { sql: PUT_WRITE, params: [...place, task_path, channel, type, bytes] }
}

/**
 * Deletes the run's writes, the writes to its checkpoints, the values and parts that only these use, and
 * the checkpoints.
 */
async function deleteRun(tx: Db, thread_id: string, run_id: string): Promise<void> {
  const params = [thread_id, run_id]
  // Whoever writes to the thread locks its run. From here on nobody writes, so that no part is deleted
  // which a new checkpoint is about to use.
  const hasBegun = await tx.get(HAS_ANY_OF, params)
  if (hasBegun) await tx.all(ACTIVE_RUNS + tx.rowLocks.wait, [thread_id])
  await tx.run(
    `DELETE FROM checkpoint_writes WHERE thread_id = $1 AND (run_id = $2
       OR (checkpoint_ns, checkpoint_id) IN (
         SELECT checkpoint_ns, checkpoint_id FROM checkpoints WHERE thread_id = $1 AND run_id = $2))`,
    params,
  )
  if (!hasBegun) return
  const removed = await tx.all<{ type: string }>(deleteOwnValues(tx), params)
  await tx.run('DELETE FROM checkpoints WHERE thread_id = $1 AND run_id = $2', params)
  if (removed.some(({ type }) => isInParts(type))) await deleteUnusedParts(tx, thread_id)
}

function deleteOwnValues(tx: Db): string {
  const versionsOf = (condition: string) => `
    SELECT c.checkpoint_ns, e.key, e.value
    FROM checkpoints AS c CROSS JOIN ${tx.json.entries('c.channel_versions')} AS e
    WHERE c.thread_id = $1 AND ${condition}`
  return `
    DELETE FROM channel_values
    WHERE thread_id = $1 AND (checkpoint_ns, channel, version) IN (
      ${versionsOf('c.run_id = $2')} EXCEPT ${versionsOf('c.run_id IS DISTINCT FROM $2')})
    RETURNING type`
}
