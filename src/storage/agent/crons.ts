/** The `crons` table. */
import type { Cron, CronPage, CronQuery, CronStore, StoredCron } from '../../core/agent/cron.ts'
import type { Db, SqlValue } from '../db/db.ts'
import { encodeJson, table } from '../db/table.ts'
import { metadataConditions } from './metadata-condition.ts'

const WIRE_COLUMNS = `cron_id, assistant_id, thread_id, end_time, schedule, timezone, created_at,
  updated_at, user_id, payload, next_run_date, metadata, enabled, on_run_completed, last_run`

const CRONS = table<StoredCron>('crons', `${WIRE_COLUMNS}, caller`, {
  key: 'cron_id',
  json: ['payload', 'metadata', 'last_run', 'caller'],
  booleans: ['enabled'],
  // The last run changes with its id.
  fixed: ['assistant_id', 'thread_id', 'created_at', 'user_id', 'last_run', 'caller'],
})

const GET = `SELECT ${CRONS.columns} FROM crons WHERE cron_id = $1`

const LIST_DUE = `
SELECT ${CRONS.columns} FROM crons WHERE next_run_date <= $1 ORDER BY next_run_date LIMIT $2`

const ADVANCE = `
UPDATE crons SET next_run_date = $4
WHERE cron_id = $1 AND next_run_date = $2 AND updated_at = $3`

const NOTE_RUN = 'UPDATE crons SET last_run = $2, last_run_id = $3 WHERE cron_id = $1'

const NOTE_END = 'UPDATE crons SET last_run = $2 WHERE cron_id = $1 AND last_run_id = $3'

const NEXT_DUE = 'SELECT min(next_run_date) AS due FROM crons WHERE next_run_date IS NOT NULL'

export function createCronStore(db: Db): CronStore {
  const crons = CRONS.on(db)
  return {
    insert: (cron) => crons.add(cron),
    get: (cron_id) => crons.get(GET, [cron_id]),
    update: (cron) => crons.update(cron.cron_id, cron),
    async delete(cron_id) {
      return (await db.run('DELETE FROM crons WHERE cron_id = $1', [cron_id])) === 1
    },
    search: (query, page) => search(db, query, page),
    async count(query) {
      const params: SqlValue[] = []
      const sql = `SELECT count(*) AS n FROM crons ${where(db, query, params)}`
      return Number((await db.get<{ n: number }>(sql, params))?.n)
    },
    listDue: (now, limit) => crons.all(LIST_DUE, [now, limit]),
    async advance({ cron_id, next_run_date, updated_at }, next) {
      return (await db.run(ADVANCE, [cron_id, next_run_date, updated_at, next])) === 1
    },
    noteRun: (cron_id, run) => db.runAhead(NOTE_RUN, [cron_id, encodeJson(run), run.run_id]),
    noteEnd: (cron_id, run) => db.runAhead(NOTE_END, [cron_id, encodeJson(run), run.run_id]),
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
    SELECT ${WIRE_COLUMNS} FROM crons ${where(db, query, params)}
    ORDER BY ${isNull}${sort_by} ${direction}, created_at ${direction}, cron_id ${direction}
    LIMIT $${params.push(limit)} OFFSET $${params.push(offset)}`
  return CRONS.on(db).all(sql, params)
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
