/** The `threads` table. Its search is in another file. */
import type {
  NewThread,
  Thread,
  ThreadPatch,
  ThreadState,
  ThreadStore,
  ThreadTtl,
} from '../../core/agent/thread.ts'
import { parseJson } from '../../core/exact-json.ts'
import { type Batch, inBatches } from '../db/batches.ts'
import type { Db, SqlValue } from '../db/db.ts'
import { encodeJson } from '../db/table.ts'
import { THREAD_COLUMNS, toThread } from './thread-rows.ts'
import { addThreadLabels, createThreadSearch, removeThreadLabels } from './thread-search.ts'

const ADD = `
INSERT INTO threads (thread_id, created_at, updated_at, state_updated_at, metadata, config, status,
  ttl_strategy, ttl_minutes, ttl_due_at)
VALUES ($1, $2, $2, $2, $3, $4, $8, $5, $6, $7)`

const INSERT = `${ADD}
ON CONFLICT (thread_id) DO NOTHING`

const GET = `
SELECT ${THREAD_COLUMNS} FROM threads AS t WHERE thread_id = $1 AND (purge_at IS NULL OR $2 = 1)`

const GET_STATE = 'SELECT state FROM threads WHERE thread_id = $1 AND purge_at IS NULL'

const GET_TTL = `
SELECT ttl_strategy AS strategy, ttl_minutes FROM threads
WHERE thread_id = $1 AND purge_at IS NULL AND ttl_minutes IS NOT NULL`

const EXPIRED = `
SELECT thread_id, ttl_strategy AS strategy FROM threads
WHERE ttl_due_at < $1 AND ttl_minutes < $3 AND status <> 'busy' AND purge_at IS NULL
ORDER BY ttl_due_at LIMIT $2`

/**
 * How many threads are purged in one transaction, so that other work runs in between. Measured on SQLite with 6,000
 * threads that had run once: 97 ms of CPU at once in one transaction, 1 ms in each of these, and twice as much
 * together.
 */
const PURGED_AT_ONCE = 32
const DUE = 'SELECT thread_id FROM threads WHERE purge_at <= $1 ORDER BY purge_at LIMIT $2'

/**
 * The tables with a thread's data that do not refer to its row. Runs and labels do, and are deleted with
 * the row.
 */
const TABLES = [
  'events',
  'event_parts',
  'event_counters',
  'checkpoints',
  'channel_values',
  'channel_parts',
  'checkpoint_writes',
]

export function createThreadStore(db: Db): ThreadStore {
  return {
    insert: (thread) => db.transaction((tx) => insert(tx, thread), []),
    add: (thread) =>
      db.transaction(async (tx) => {
        await tx.runAhead(ADD, rowOf(thread))
        await addThreadLabels(tx, thread)
      }, []),
    async get(thread_id, { isDropped = false } = {}) {
      const row = await db.get(GET, [thread_id, isDropped ? 1 : 0])
      return row && toThread(row)
    },
    async getState(thread_id) {
      const row = await db.get<{ state: string | null }>(GET_STATE, [thread_id])
      return row?.state ? (parseJson(row.state) as ThreadState) : undefined
    },
    update: (thread_id, patch, before) =>
      db.transaction((tx) => update(tx, thread_id, patch, before), []),
    async getTtl(thread_id) {
      const row = await db.get<ThreadTtl>(GET_TTL, [thread_id])
      return row && { ...row }
    },
    ...createThreadSearch(db),
    async listExpired(now, limit, { shorterThanMinutes = Number.MAX_VALUE } = {}) {
      const params = [now, limit, shorterThanMinutes]
      const rows = await db.all<{ thread_id: string; strategy: ThreadTtl['strategy'] }>(
        EXPIRED,
        params,
      )
      return rows.map((row) => ({ ...row }))
    },
    markPruned: (thread_id) =>
      db.runAhead('UPDATE threads SET ttl_due_at = NULL WHERE thread_id = $1', [thread_id]),
    delete: (thread_id) =>
      db.transaction(async (tx) => {
        // The row goes first, with the thread's runs and their leases: from then on no server adds to the other tables.
        const isGone = await tx.run('DELETE FROM threads WHERE thread_id = $1', [thread_id])
        for (const table of TABLES) {
          await tx.run(`DELETE FROM ${table} WHERE thread_id = $1`, [thread_id])
        }
        return isGone === 1
      }, []),
    drop: (thread_id, purge_at) =>
      db.transaction(async (tx) => {
        const sql = 'UPDATE threads SET purge_at = $2 WHERE thread_id = $1'
        await tx.runAhead(sql, [thread_id, purge_at])
        await removeThreadLabels(tx, thread_id)
      }, []),
    purge: (now) => inBatches(() => db.transaction((tx) => purgeSome(tx, now), [])),
  }
}

async function insert(tx: Db, thread: NewThread): Promise<boolean> {
  const isNew = await tx.run(INSERT, rowOf(thread))
  if (isNew === 1) await addThreadLabels(tx, thread)
  return isNew === 1
}

function rowOf(thread: NewThread): SqlValue[] {
  const { thread_id, created_at, metadata, config, ttl, status = 'idle' } = thread
  return [
    thread_id,
    created_at,
    encodeJson(metadata),
    encodeJson(config),
    ttl?.strategy ?? null,
    ttl?.ttl_minutes ?? null,
    ttl ? dueAt(created_at, ttl) : null,
    status,
  ]
}

/** Updates a thread. Each change restarts its lifetime. */
async function update(
  tx: Db,
  thread_id: string,
  patch: ThreadPatch,
  before?: Pick<Thread, 'metadata' | 'created_at'>,
): Promise<void> {
  const { metadata } = patch
  if (metadata) {
    const labelled = before
      ? { ...before, metadata: encodeJson(before.metadata) }
      : await readLabelled(tx, thread_id)
    if (labelled) await relabel(tx, { ...labelled, thread_id }, metadata)
  }
  const params: SqlValue[] = [thread_id]
  const changes = Object.entries(toColumns(patch)).map(
    ([column, value]) => `${column} = $${params.push(value)}`,
  )
  if (!patch.ttl) {
    const since = `$${params.push(Date.parse(patch.updated_at))}`
    changes.push(`ttl_due_at = ${since} + CAST(round(ttl_minutes * 60000) AS BIGINT)`)
  }
  await tx.runAhead(`UPDATE threads SET ${changes.join(', ')} WHERE thread_id = $1`, params)
}

interface Labelled {
  /** As it is stored. */
  metadata: string | null
  created_at: string
}

function readLabelled(tx: Db, thread_id: string): Promise<Labelled | undefined> {
  const sql = `SELECT metadata, created_at FROM threads
    WHERE thread_id = $1 AND purge_at IS NULL${tx.rowLocks.wait}`
  return tx.get<Labelled>(sql, [thread_id])
}

/**
 * Updates the labels if they have changed. Mostly they have not: a run only notes its graph and assistant
 * each time.
 */
async function relabel(
  tx: Db,
  { thread_id, created_at, metadata: before }: Labelled & { thread_id: string },
  metadata: NewThread['metadata'],
): Promise<void> {
  if (before === encodeJson(metadata)) return
  await removeThreadLabels(tx, thread_id)
  await addThreadLabels(tx, { thread_id, created_at, metadata })
}

function toColumns(patch: ThreadPatch): Record<string, SqlValue> {
  const { updated_at, status, metadata, error, state, ttl } = patch
  return {
    updated_at,
    ...(status !== undefined && { status }),
    ...(metadata !== undefined && { metadata: encodeJson(metadata) }),
    ...(error !== undefined && { error }),
    ...(state !== undefined && { state: encodeJson(state), state_updated_at: updated_at }),
    ...(ttl !== undefined && {
      ttl_strategy: ttl.strategy,
      ttl_minutes: ttl.ttl_minutes,
      ttl_due_at: dueAt(updated_at, ttl),
    }),
  }
}

function dueAt(since: string, { ttl_minutes }: ThreadTtl): number {
  return Date.parse(since) + Math.round(ttl_minutes * 60_000)
}

async function purgeSome(tx: Db, now: number): Promise<Batch> {
  const due = await tx.all<{ thread_id: string }>(DUE + tx.rowLocks.skip, [now, PURGED_AT_ONCE])
  if (due.length === 0) return { removed: 0, isLast: true }
  const params = [JSON.stringify(due.map(({ thread_id }) => thread_id))]
  for (const table of [...TABLES, 'threads']) {
    await tx.run(`DELETE FROM ${table} WHERE thread_id IN ${tx.json.texts('$1')}`, params)
  }
  return { removed: due.length, isLast: due.length < PURGED_AT_ONCE }
}
