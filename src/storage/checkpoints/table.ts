/**
 * Checkpoints in three tables: the checkpoint with the version of each channel, the values by version,
 * and the pending writes by their run.
 */
import type { CheckpointRecord, CheckpointStore, HeldLease } from '../../core/agent/checkpoint.ts'
import type { Lease } from '../../core/agent/run.ts'
import { type TimelineCheckpoint, timeOfCheckpoint } from '../../core/agent/timeline/timeline.ts'
import type { Db } from '../db/db.ts'
import { batchUnder } from '../leases/leases.ts'
import { MissingPart } from '../lists/list-parts.ts'
import { deleteUnusedParts, isInParts } from './channel-parts.ts'
import { createCheckpointHistories } from './histories.ts'
import { putStatements } from './puts.ts'
import { readCheckpoint, readCheckpoints } from './records.ts'

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
  const putAll: CheckpointStore['putAll'] = async (puts, lease) => {
    const statements = putStatements(puts, runOf(lease))
    if (lease && !isHeld(lease)) await batchUnder(db, lease, statements)
    else await db.batch(statements)
  }
  return {
    putAll,
    put: (checkpoint, versions, values, lease) => putAll([{ checkpoint, versions, values }], lease),
    putWrites: (key, writes, lease) => putAll([{ key, writes }], lease),
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

/** Empty for an update through the API. */
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

/**
 * Deletes the run's writes, the writes to its checkpoints, the values and parts that only these use, and
 * the checkpoints.
 */
async function deleteRun(tx: Db, thread_id: string, run_id: string): Promise<void> {
  const params = [thread_id, run_id]
  // Every writer to the thread locks its run. From here on there is none, so that no part is deleted that a new
  // checkpoint is about to use.
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
