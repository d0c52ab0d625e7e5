/** The `runs` table: the lines of the threads, and the leases. `core/agent/run.ts` has the states. */

import { MAX_RUN_ATTEMPTS, suspectAttempt } from '../../core/agent/retry.ts'
import {
  FIRST_TOKEN,
  type FoundRun,
  isTerminal,
  type Lease,
  type LeaseState,
  type QueueFigures,
  type RunGlance,
  type RunStore,
  type StoredRun,
} from '../../core/agent/run.ts'
import type { TimelineEntry } from '../../core/agent/timeline/timeline.ts'
import { AppError } from '../../core/errors.ts'
import { parseJson } from '../../core/exact-json.ts'
import type { Db } from '../db/db.ts'
import { decodeRow, encodeJson } from '../db/table.ts'
import { HELD, heldParams, holdsLease } from '../leases/leases.ts'
import { addLongInput, encodeKwargs, LONG_INPUT, withLongInput } from './run-inputs.ts'
import { findMentions, runSearchStatement, WAITING } from './run-search.ts'
import { addTimeline, encodeEnd } from './timelines.ts'

const COLUMNS = `run_id, thread_id, assistant_id, created_at, updated_at, status, metadata, kwargs,
  multitask_strategy, seq, available_at, attempt, cancel_action, cancel_reason, stop_outcome, error,
  started_at, origin, ${LONG_INPUT}`

const FOUND_COLUMNS = `${COLUMNS}, timeline, CASE WHEN ${WAITING} THEN 1 ELSE 0 END AS waits`

const JSON_COLUMNS = ['metadata', 'kwargs', 'error', 'origin'] as const

// Both conditions: with one, SQLite does not use `runs_active`, and walks through all runs of the thread.
const PENDING = "status = 'pending' AND status IN ('pending', 'running')"

// Locks the run in front, so that it cannot leave the line unseen: see the migration `lines of runs`.
const insertSql = ({ rowLocks }: Db) => `
INSERT INTO runs (run_id, thread_id, assistant_id, created_at, updated_at, status, metadata, kwargs,
  multitask_strategy, available_at, origin, attempt, lease_token, lease_server_id, lease_expires_at,
  started_at, behind)
VALUES ($1, $2, $3, $4, $5, $11, $6, $7, $8, $9, $10, $12, $13, $14, $15, $16,
  CASE WHEN $11 = 'running' THEN 0 ELSE coalesce(
    (SELECT 1 FROM runs WHERE thread_id = $2 AND status = 'running' LIMIT 1${rowLocks.wait}),
    (SELECT 1 FROM runs
      WHERE thread_id = $2 AND ${PENDING} AND available_at <= $9
      ORDER BY seq LIMIT 1${rowLocks.wait}),
    0) END)`

// These columns come before `kwargs` in the row, so that SQLite does not read through it.
const GLANCE = 'SELECT run_id, thread_id, status, updated_at FROM runs WHERE run_id = $1'

const GET = `SELECT ${COLUMNS} FROM runs WHERE run_id = $1`

const LIST = `
SELECT ${COLUMNS} FROM runs
WHERE thread_id = $1 AND (CAST($2 AS TEXT) IS NULL OR status = $2) ORDER BY seq DESC LIMIT $3 OFFSET $4`

const HAS_ACTIVE = `
SELECT 1 FROM runs WHERE thread_id = $1 AND status IN ('pending', 'running') LIMIT 1`

const NTH_PENDING = `
SELECT 1 FROM runs WHERE thread_id = $1 AND ${PENDING} LIMIT 1 OFFSET $2`

const LIST_ACTIVE = `
SELECT ${COLUMNS} FROM runs
WHERE thread_id = $1 AND status IN ('pending', 'running') ORDER BY seq`

// `+seq`: by `seq` alone SQLite would walk through all runs ever made, to avoid sorting.
const LIST_ACTIVE_OF = `
SELECT ${COLUMNS} FROM runs
WHERE assistant_id = $1 AND status IN ('pending', 'running')
ORDER BY +seq`

const LATEST = `SELECT ${COLUMNS} FROM runs WHERE thread_id = $1 ORDER BY seq DESC LIMIT 1`

// All attempts but one ended with the loss of the server. A cancelled run is no suspect: nothing of it
// executes.
const onlyOf = (suspect: number) => ({
  suspects: `
    AND attempt >= ${suspect - 1} AND cancel_action IS NULL AND NOT EXISTS (
      SELECT 1 FROM runs WHERE status = 'running' AND survived = 0
        AND attempt >= ${suspect} AND cancel_action IS NULL
    )`,
  others: `
    AND (attempt < ${suspect - 1} OR cancel_action IS NOT NULL)`,
})

interface Selection {
  only: keyof ReturnType<typeof onlyOf> | undefined
  /** From which attempt on a run is a suspect. */
  suspect: number
  /** How many graphs are left out. */
  exceptGraphs: number
  /** The numbers of parameters: that of the time, and the last one before the names of the graphs. */
  now: number
  before: number
}

// Runs that another server is just claiming are skipped. The runs behind them on the same thread are no candidates, so
// that none overtakes. `behind` excludes most of these without a look.
const claimableSql = (db: Db, { only, suspect, exceptGraphs, now, before }: Selection) => `
  SELECT seq FROM runs AS next
  WHERE status = 'pending' AND behind = 0 AND available_at <= $${now}${only ? onlyOf(suspect)[only] : ''}${exceptSql(db, exceptGraphs, before)}
    AND thread_id NOT IN (SELECT thread_id FROM runs WHERE status = 'running')
    AND NOT EXISTS (
      SELECT 1 FROM runs AS before
      WHERE before.thread_id = next.thread_id AND ${PENDING.replaceAll('status', 'before.status')}
        AND before.seq < next.seq AND before.available_at <= $${now}
    )`

const claimSql = (db: Db, selection: Pick<Selection, 'only' | 'suspect' | 'exceptGraphs'>) => `
WITH claimable AS (${claimableSql(db, { ...selection, now: 2, before: 4 })}
  ORDER BY seq LIMIT $4${db.rowLocks.skip}
)
UPDATE runs
SET status = 'running', attempt = attempt + 1, survived = 0, lease_token = lease_token + 1,
  lease_server_id = $1, lease_expires_at = $3, started_at = coalesce(started_at, $2)
WHERE seq IN (SELECT seq FROM claimable)
RETURNING ${COLUMNS}, lease_server_id, lease_token`

const hasSuspectSql = (db: Db, selection: Pick<Selection, 'suspect' | 'exceptGraphs'>) =>
  `${claimableSql(db, { ...selection, only: 'suspects', now: 1, before: 1 })} LIMIT 1`

/** Each graph has a parameter of its own; they are few. */
function exceptSql({ json }: Db, graphs: number, before: number): string {
  const conditions = Array.from(
    { length: graphs },
    (_, i) => `\n    AND NOT ${json.fieldsEqual('metadata', `$${before + 1 + i}`)}`,
  )
  return conditions.join('')
}

/** The parameters of `exceptSql`. */
const exceptParams = (graphs: readonly string[] = []) =>
  graphs.map((graph_id) => JSON.stringify({ graph_id }))

const renewSql = ({ json }: Db) => `
UPDATE runs SET lease_expires_at = $1
WHERE status = 'running' AND (run_id, lease_server_id || ' ' || CAST(lease_token AS TEXT)) IN (
  SELECT lease.key, lease.value FROM ${json.entries('$2')} AS lease
)
RETURNING run_id, lease_token, cancel_action`

const FINISH = `
UPDATE runs
SET status = $4, error = $5, updated_at = $6, stop_outcome = $7, timeline = $8,
  lease_server_id = NULL, lease_expires_at = NULL
WHERE ${HELD} AND coalesce(cancel_action, '') <> 'rollback'`

const GIVE_BACK = `
UPDATE runs
SET status = 'pending', attempt = attempt - 1, lease_server_id = NULL, lease_expires_at = NULL
WHERE ${HELD}`

const EXPIRE = `UPDATE runs SET lease_expires_at = 0 WHERE ${HELD}`

const CLEAR = `UPDATE runs SET survived = 1 WHERE ${HELD}`

const INTERRUPT_PENDING = `
UPDATE runs
SET status = 'interrupted', updated_at = $2, cancel_reason = coalesce(cancel_reason, $3)
WHERE run_id = $1 AND status = 'pending'`

// An interrupt does not replace a rollback. A token shows that the run has started.
const REQUEST_CANCEL = `
UPDATE runs
SET cancel_action = CASE WHEN cancel_action = 'rollback' THEN cancel_action ELSE $2 END,
  cancel_reason = coalesce(cancel_reason, $3)
WHERE run_id = $1 AND (status = 'running' OR (status = 'pending' AND lease_token > 0))`

const SET_KWARGS = 'UPDATE runs SET kwargs = $2 WHERE run_id = $1'

const FIGURES = `
SELECT count(CASE WHEN status = 'pending' AND available_at <= $1 THEN 1 END) AS waiting,
  count(CASE WHEN status = 'pending' AND available_at > $1 THEN 1 END) AS delayed,
  count(CASE WHEN status = 'running' THEN 1 END) AS running,
  min(CASE WHEN status = 'pending' AND available_at <= $1 THEN available_at END) AS oldest_due_at
FROM runs WHERE status IN ('pending', 'running')`

const NEXT_DUE = `
SELECT min(available_at) AS due FROM runs WHERE status = 'pending' AND available_at > $1`

const COUNT_CLAIMABLE = `
SELECT count(DISTINCT thread_id) AS count FROM runs AS waiting
WHERE status = 'pending' AND behind = 0 AND available_at <= $1 AND NOT EXISTS (
  SELECT 1 FROM runs WHERE thread_id = waiting.thread_id AND status = 'running')`

/** `maxAttempts`: see `RunStore`. */
export function createRunStore(db: Db, maxAttempts = MAX_RUN_ATTEMPTS): RunStore {
  const suspect = suspectAttempt(maxAttempts)
  const isUsedUp = `(attempt >= ${maxAttempts} AND survived = 0)`
  const isLost = `status = 'running'
    AND (lease_expires_at < $1 OR lease_server_id IN ${db.json.texts('$2')})`
  // Each part uses its own index: the pending runs in order, and all of the few running ones.
  const someWith = (status: 'pending' | 'running', order: 'seq' | '+seq') => `
    SELECT seq FROM (
      SELECT seq FROM runs
      WHERE status = '${status}' AND '${status}' IN ${db.json.texts('$1')} AND ${order} > $2
      ORDER BY ${order} LIMIT $3) AS ${status}`
  const withStatusSql = `
    SELECT ${COLUMNS} FROM runs
    WHERE seq IN (${someWith('pending', 'seq')} UNION ALL ${someWith('running', '+seq')})
    ORDER BY seq LIMIT $3`
  const releaseSql = `
    UPDATE runs SET status = 'pending', lease_server_id = NULL, lease_expires_at = NULL
    WHERE seq IN (
      SELECT seq FROM runs WHERE ${isLost} AND NOT ${isUsedUp}${db.rowLocks.skip}
    )
    RETURNING run_id`
  const exhaustedSql = `
    SELECT ${COLUMNS}, lease_server_id, lease_token FROM runs
    WHERE ${isLost} AND ${isUsedUp} ORDER BY +seq`

  return {
    maxAttempts,
    async insert(run, claim) {
      const { kwargs, copy, longInput } = encodeKwargs(run.kwargs)
      const metadata = JSON.stringify(run.metadata)
      const row = db.runAhead(insertSql(db), [
        run.run_id,
        run.thread_id,
        run.assistant_id,
        run.created_at,
        run.updated_at,
        metadata,
        kwargs,
        run.multitask_strategy,
        run.available_at,
        encodeJson(run.origin),
        claim ? 'running' : 'pending',
        claim ? 1 : 0,
        claim ? FIRST_TOKEN : 0,
        claim?.server_id ?? null,
        claim?.lease_expires_at ?? null,
        claim?.now ?? null,
      ])
      // Sent together, in this order: the input refers to the run.
      await Promise.all([row, longInput !== undefined && addLongInput(db, run.run_id, longInput)])
      return {
        ...run,
        metadata: parseJson(metadata),
        kwargs: copy,
        status: claim ? 'running' : 'pending',
        attempt: claim ? 1 : 0,
        cancel_action: null,
        cancel_reason: null,
        stop_outcome: null,
        error: null,
        started_at: claim?.now ?? null,
        origin: run.origin ?? null,
      }
    },
    async get(run_id) {
      const row = await db.get(GET, [run_id])
      return row && toRun(row)
    },
    glance: (run_id) => db.get<RunGlance>(GLANCE, [run_id]),
    async hold(run_id) {
      const row = await db.get(GET + db.rowLocks.wait, [run_id])
      return row && toRun(row)
    },
    async list(thread_id, { status, limit, offset }) {
      return (await db.all(LIST, [thread_id, status ?? null, limit, offset])).map(toRun)
    },
    async search(query, page) {
      const { sql, params } = runSearchStatement(db, FOUND_COLUMNS, query, page)
      return (await db.all<FoundRow>(sql, params)).map(toFoundRun)
    },
    async searchText(query, text, page) {
      const { ids, ...bound } = await findMentions(db, query, text, page)
      // Again with the whole query: since then a thread may have been dropped, or have got another owner.
      const found = { limit: page.limit, ids: ids.slice(0, page.limit) }
      const { sql, params } = runSearchStatement(db, FOUND_COLUMNS, query, found)
      const rows = await db.all<FoundRow>(sql, params)
      return { runs: rows.map(toFoundRun), ...bound }
    },
    async hasActive(thread_id) {
      return (await db.get(HAS_ACTIVE, [thread_id])) !== undefined
    },
    async hasPending(thread_id, count) {
      return (await db.get(NTH_PENDING, [thread_id, count - 1])) !== undefined
    },
    async listWithStatus(statuses, { after, limit }) {
      const rows = await db.all(withStatusSql, [JSON.stringify(statuses), after, limit])
      return rows.map(toRun)
    },
    async listActive(thread_id) {
      return (await db.all(LIST_ACTIVE, [thread_id])).map(toRun)
    },
    async listActiveOf(assistant_id) {
      return (await db.all(LIST_ACTIVE_OF, [assistant_id])).map(toRun)
    },
    async latest(thread_id) {
      const row = await db.get(LATEST, [thread_id])
      return row && toRun(row)
    },
    async claim(claim, count) {
      const { server_id, now, lease_expires_at, only, except_graphs: graphs = [] } = claim
      const params = [server_id, now, lease_expires_at, count, ...exceptParams(graphs)]
      const rows = await db.all<LeasedRow>(
        claimSql(db, { only, suspect, exceptGraphs: graphs.length }),
        params,
      )
      return rows.map(splitLease).toSorted((a, b) => a.run.seq - b.run.seq)
    },
    async hasSuspect({ now, except_graphs: graphs = [] }) {
      const sql = hasSuspectSql(db, { suspect, exceptGraphs: graphs.length })
      return (await db.get(sql, [now, ...exceptParams(graphs)])) !== undefined
    },
    async clear(lease) {
      return (await db.run(CLEAR, heldParams(lease))) === 1
    },
    async renew(leases, lease_expires_at) {
      // If a run has several leases, the one with the highest token counts: only that can be held.
      const latest = leases.toSorted((a, b) => a.token - b.token)
      const asked = latest.map(({ run_id, server_id, token }) => [run_id, `${server_id} ${token}`])
      const params = [lease_expires_at, JSON.stringify(Object.fromEntries(asked))]
      const rows = await db.all<RenewedRow>(renewSql(db), params)
      const renewed = new Map(rows.map((row) => [row.run_id, row]))
      return leases.map(({ run_id, token }) => {
        const row = renewed.get(run_id)
        const held = row?.lease_token === token
        return { run_id, held, cancel_action: (held && row.cancel_action) || null }
      })
    },
    async finish(lease, { status, error, updated_at, stop_outcome, timeline }) {
      if (!isTerminal(status)) {
        throw new AppError('internal', `Run ${lease.run_id} cannot end as "${status}".`)
      }
      const { own, apart: added } = encodeEnd(timeline)
      const end = [status, encodeJson(error), updated_at, stop_outcome ?? null, own]
      const [ended] = await Promise.all([
        db.run(FINISH, [...heldParams(lease), ...end]),
        added && addTimeline(db, lease.run_id, added, Date.parse(updated_at)),
      ])
      return ended === 1
    },
    async giveBack(lease) {
      return (await db.run(GIVE_BACK, heldParams(lease))) === 1
    },
    async expire(lease) {
      return (await db.run(EXPIRE, heldParams(lease))) === 1
    },
    holds: (lease) => holdsLease(db, lease),
    async interruptPending(run_id, updated_at, reason) {
      return (await db.run(INTERRUPT_PENDING, [run_id, updated_at, reason ?? null])) === 1
    },
    async requestCancel(run_id, action, reason) {
      return (await db.run(REQUEST_CANCEL, [run_id, action, reason ?? null])) === 1
    },
    async setKwargs(run_id, kwargs) {
      const { kwargs: own, longInput } = encodeKwargs(kwargs)
      const isThere = (await db.run(SET_KWARGS, [run_id, own])) === 1
      if (isThere && longInput !== undefined) await addLongInput(db, run_id, longInput)
      return isThere
    },
    async delete(run_id) {
      return (await db.run('DELETE FROM runs WHERE run_id = $1', [run_id])) === 1
    },
    release: ({ now, dead_servers }) =>
      db.transaction(async (tx) => {
        const params = [now, JSON.stringify(dead_servers)]
        const released = await tx.all<{ run_id: string }>(releaseSql, params)
        const exhausted = await tx.all<LeasedRow>(exhaustedSql, params)
        return {
          released: released.map((row) => row.run_id),
          exhausted: exhausted.map(splitLease),
        }
      }, []),
    async countClaimable(now) {
      return Number((await db.get<{ count: number }>(COUNT_CLAIMABLE, [now]))?.count ?? 0)
    },
    async figures(now) {
      const row = await db.get<QueueFigures>(FIGURES, [now])
      if (!row) throw new AppError('internal', 'The database counted no runs.')
      const { waiting, delayed, running, oldest_due_at: oldest } = row
      return {
        waiting: Number(waiting),
        delayed: Number(delayed),
        running: Number(running),
        oldest_due_at: oldest === null ? null : Number(oldest),
      }
    },
    async nextDue(now) {
      const row = await db.get<{ due: number | null }>(NEXT_DUE, [now])
      return row?.due ?? undefined
    },
  }
}

type RenewedRow = Pick<LeaseState, 'run_id' | 'cancel_action'> & { lease_token: number }

interface LeasedRow {
  run_id: string
  lease_server_id: string
  lease_token: number
}

function toRun(row: object): StoredRun {
  const { long_input, ...own } = row as { long_input?: string | null }
  const run = decodeRow<StoredRun>(own, JSON_COLUMNS)
  return withLongInput(run, long_input)
}

interface FoundRow {
  timeline: string | null
  waits: number
}

function toFoundRun({ timeline, waits, ...row }: FoundRow): FoundRun {
  const { excerpt } = timeline === null ? {} : (parseJson(timeline) as TimelineEntry)
  return { ...toRun(row), ...(excerpt && { excerpt }), is_waiting: waits === 1 }
}

function splitLease(row: LeasedRow): { run: StoredRun; lease: Lease } {
  const { lease_server_id: server_id, lease_token: token, ...run } = row
  return { run: toRun(run), lease: { run_id: row.run_id, server_id, token } }
}
