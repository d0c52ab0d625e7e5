/** The `crons` table. */
import type { Cron, CronPage, CronQuery, CronStore, StoredCron } from '../../core/agent/cron.ts'
import type { Db, SqlValue } from '../db/db.ts'
import { decodeRow, encodeJson } from '../db/json-columns.ts'
import { metadataConditions } from './metadata-condition.ts'

const COLUMNS = `cron_id, assistant_id, thread_id, end_time, schedule, timezone, created_at,
  updated_at, user_id, payload, next_run_date, metadata, enabled, on_run_completed, last_run`

const INSERT = `
INSERT INTO crons (${COLUMNS}, caller)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)`

const GET = `SELECT ${COLUMNS}, caller FROM crons WHERE cron_id = $1`

const UPDATE = `
UPDATE crons
SET end_time = $2, schedule = $3, timezone = $4, updated_at = $5, payload = $6, next_run_date = $7,
  metadata = $8, enabled = $9, on_run_completed = $10
WHERE cron_id = $1`

const LIST_DUE = `
SELECT ${COLUMNS}, caller FROM crons WHERE next_run_date <= $1 ORDER BY next_run_date LIMIT $2`

const ADVANCE = `
UPDATE crons SET next_run_date = $4
WHERE cron_id = $1 AND next_run_date = $2 AND updated_at = $3`

const NOTE_RUN = 'UPDATE crons SET last_run = $2, last_run_id = $3 WHERE cron_id = $1'

const NOTE_END = 'UPDATE crons SET last_run = $2 WHERE cron_id = $1 AND last_run_id = $3'

const NEXT_DUE = 'SELECT min(next_run_date) AS due FROM crons WHERE next_run_date IS NOT NULL'

export function createCronStore(db: Db): CronStore {
  return {
    async insert(cron) {
      await db.run(INSERT, [
        cron.cron_id,
        cron.assistant_id,
        cron.thread_id,
        cron.end_time,
        cron.schedule,
        cron.timezone,
        cron.created_at,
        cron.updated_at,
        cron.user_id,
        encodeJson(cron.payload),
        cron.next_run_date,
        encodeJson(cron.metadata),
        cron.enabled ? 1 : 0,
        cron.on_run_completed,
        encodeJson(cron.last_run),
        encodeJson(cron.caller),
      ])
    },
    async get(cron_id) {
      const row = await db.get<object>(GET, [cron_id])
      return row && toCron<StoredCron>(row)
    },
    async update(cron) {
      await db.run(UPDATE, [
        cron.cron_id,
        cron.end_time,
        cron.schedule,
        cron.timezone,
        cron.updated_at,
        encodeJson(cron.payload),
        cron.next_run_date,
        encodeJson(cron.metadata),
        cron.enabled ? 1 : 0,
        cron.on_run_completed,
      ])
    },
    async delete(cron_id) {
      return (await db.run('DELETE FROM crons WHERE cron_id = $1', [cron_id])) === 1
    },
    search: (query, page) => search(db, query, page),
    async count(query) {
      const params: SqlValue[] = []
      const sql = `SELECT count(*) AS n FROM crons ${where(db, query, params)}`
      return Number((await db.get<{ n: number }>(sql, params))?.n)
    },
    async listDue(now, limit) {
      return (await db.all<object>(LIST_DUE, [now, limit])).map((row) => toCron<StoredCron>(row))
    },
    async advance({ cron_id, next_run_date, updated_at }, next) {
      return (await db.run(ADVANCE, [cron_id, next_run_date, updated_at, next])) === 1
    },
    async noteRun(cron_id, run) {
      await db.run(NOTE_RUN, [cron_id, encodeJson(run), run.run_id])
    },
    async noteEnd(cron_id, run) {
      await db.run(NOTE_END, [cron_id, encodeJson(run), run.run_id])
    },
    async nextDue() {
      const row = await db.get<{ due: string | null }>(NEXT_DUE)
      return row?.due ? Date.parse(row.due) : undefined
    },
  }
}

async function search(db: Db, query: CronQuery, page: CronPage): Promise<Cron[]> {
  const params: SqlValue[] = []
  const { sort_by, sort_order, limit, offset } = page
  const direction = sort_order === 'asc' ? 'ASC' : 'DESC'
  // The databases sort NULLs differently. This order also has an index.
  const isNull = NULLABLE.has(sort_by) ? `${sort_by} IS NULL, ` : ''
  const sql = `
    SELECT ${COLUMNS} FROM crons ${where(db, query, params)}
    ORDER BY ${isNull}${sort_by} ${direction}, created_at ${direction}, cron_id ${direction}
    LIMIT $${params.push(limit)} OFFSET $${params.push(offset)}`
  return (await db.all<object>(sql, params)).map((row) => toCron<Cron>(row))
}

const NULLABLE = new Set<CronPage['sort_by']>(['thread_id', 'next_run_date', 'end_time'])

function where(db: Db, query: CronQuery, params: SqlValue[]): string {
  const { assistant_id, thread_id, enabled, ...wanted } = query
  const conditions: string[] = []
  if (assistant_id !== undefined) conditions.push(`assistant_id = $${params.push(assistant_id)}`)
  if (thread_id !== undefined) conditions.push(`thread_id = $${params.push(thread_id)}`)
  if (enabled !== undefined) conditions.push(`enabled = $${params.push(enabled ? 1 : 0)}`)
  conditions.push(...metadataConditions(db.json, wanted, params))
  return conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : ''
}

function toCron<T extends Cron>(row: object): T {
  const cron = decodeRow<StoredCron>(row, ['payload', 'metadata', 'last_run', 'caller'])
  return { ...cron, enabled: Number(cron.enabled) === 1 } as unknown as T
}
