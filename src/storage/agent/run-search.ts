/**
 * Searches the `runs` table, over all threads, the latest first.
 *
 * It pages backwards in the order received, from a given place, so that a page costs the same however far back it is.
 * Runs that have failed have an index of their own: they may be few among many.
 */
import { lacksText, mentions } from '../../core/agent/excerpt.ts'
import type { RunKwargs, RunQuery, RunStatus } from '../../core/agent/run.ts'
import type { TimelineEntry } from '../../core/agent/timeline/timeline.ts'
import { parseJson } from '../../core/exact-json.ts'
import type { Db, SqlValue } from '../db/db.ts'
import { metadataConditions } from './metadata-condition.ts'
import { LISTED_ROWS, lookThrough, type SizedRow } from './text-search.ts'

/** Word for word as in the index `runs_failed`: otherwise SQLite does not use the index. */
const FAILED = "status IN ('error', 'interrupted', 'timeout')"
const FAILURES: readonly RunStatus[] = ['error', 'interrupted', 'timeout']

/** A run that stops to ask ends with the latest state of its thread; earlier runs ended before it. */
export const WAITING = `status = 'success' AND EXISTS (SELECT 1 FROM threads AS w WHERE w.thread_id = runs.thread_id
      AND w.status = 'interrupted' AND w.state_updated_at <= runs.updated_at)`

export function runSearchStatement(
  { json }: Pick<Db, 'json'>,
  columns: string,
  query: RunQuery,
  { limit, before, ids }: { limit: number; before?: number; ids?: readonly string[] },
): { sql: string; params: SqlValue[] } {
  const params: SqlValue[] = []
  const place = (value: SqlValue) => `$${params.push(value)}`
  const { run_id, status, assistant_id, thread_id, metadata, filter, error } = query
  const { is_waiting, created_after, created_before } = query
  const visible = metadataConditions(json, filter ? { filter } : {}, params)
  const conditions = [
    `EXISTS (SELECT 1 FROM threads AS t WHERE ${['t.thread_id = runs.thread_id', 't.purge_at IS NULL', ...visible].join(' AND ')})`,
    ...(before === undefined ? [] : [`seq < ${place(before)}`]),
    ...(ids ? [`run_id IN ${json.texts(place(JSON.stringify(ids)))}`] : []),
    ...(run_id ? [`run_id = ${place(run_id)}`] : []),
    ...(status ? [`status = '${status}'`] : []),
    ...(status && FAILURES.includes(status) ? [FAILED] : []),
    ...(is_waiting === undefined ? [] : [is_waiting ? WAITING : `NOT (${WAITING})`]),
    ...(assistant_id ? [`assistant_id = ${place(assistant_id)}`] : []),
    ...(thread_id ? [`runs.thread_id = ${place(thread_id)}`] : []),
    ...(created_after ? [`created_at >= ${place(created_after)}`] : []),
    ...(created_before ? [`created_at < ${place(created_before)}`] : []),
    ...metadataConditions(json, metadata ? { metadata } : {}, params),
    ...(error ? [FAILED, `lower(error) LIKE lower(${place(containing(error))}) ESCAPE '!'`] : []),
  ]
  const sql = `
    SELECT ${columns} FROM runs WHERE ${conditions.join(' AND ')}
    ORDER BY seq DESC LIMIT ${place(limit)}`
  return { sql, params }
}

/** Errors are kept as JSON. */
function containing(text: string): string {
  const inJson = JSON.stringify(text).slice(1, -1)
  return `%${inJson.replace(/[!%_]/g, '!$&')}%`
}

interface TextRow {
  run_id: string
  kwargs: string
  timeline: string | null
}

const TEXT_BYTES = 'octet_length(kwargs) + coalesce(octet_length(timeline), 0)'

/** The latest runs that mention the text, by id. Reads no long inputs, which are in a table of their own. */
export async function findMentions(
  db: Db,
  query: RunQuery,
  text: string,
  { before }: { before?: number },
): Promise<{ ids: string[]; lookedAt?: number }> {
  const page = { limit: LISTED_ROWS, ...(before !== undefined && { before }) }
  const columns = `run_id AS id, ${TEXT_BYTES} AS bytes`
  const { sql, params } = runSearchStatement(db, columns, query, page)
  const isMeant = textCondition(text)
  return lookThrough(await db.all<SizedRow>(sql, params), async (ids) => {
    const texts = `SELECT run_id, kwargs, timeline FROM runs WHERE run_id IN ${db.json.texts('$1')}`
    const rows = await db.all<TextRow>(texts, [JSON.stringify(ids)])
    return rows.filter(isMeant).map(({ run_id }) => run_id)
  })
}

function textCondition(text: string): (row: TextRow) => boolean {
  const folded = text.toLowerCase()
  return ({ kwargs, timeline }) => {
    if (lacksText(kwargs, folded) && lacksText(timeline ?? '', folded)) return false
    const { input, command } = parseJson(kwargs) as RunKwargs
    const { excerpt = {} } = timeline === null ? {} : (parseJson(timeline) as TimelineEntry)
    const { last = '', question = '' } = excerpt
    return mentions([input ?? null, command?.resume ?? null, last, question], folded)
  }
}
