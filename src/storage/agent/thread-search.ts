/**
 * Searches the `threads` table.
 *
 * Plain values of the metadata are looked up in `thread_labels`, beginning with the rarest. Other values are parsed,
 * but only for the threads that remain. Every order has an index.
 *
 * Measured with 100,000 threads (240 MB): a page by default 0.1 ms, from offset 90,000 5 ms, by labels 0.2 ms; counting
 * all, or by one label, 6 ms; by a list in the metadata, which parses every row, 200 ms; by values, which parses every
 * state, 800 ms. A generated column or an expression index is no alternative, since it needs to know the keys in
 * advance.
 *
 * A text is searched by reading the states themselves, of a bounded number of threads: an index would be a second copy
 * of all conversations.
 */
import { setImmediate as turn } from 'node:timers/promises'
import { lacksText, mentions } from '../../core/agent/excerpt.ts'
import type {
  NewThread,
  Thread,
  ThreadPage,
  ThreadQuery,
  ThreadState,
} from '../../core/agent/thread.ts'
import { parseJson } from '../../core/exact-json.ts'
import type { Db, SqlValue } from '../db/db.ts'
import {
  COMMON,
  type CountedLabel,
  countLabels,
  labelsOf,
  metadataConditions,
  splitLabels,
  without,
} from './metadata-condition.ts'
import { fitting, LISTED_ROWS, lookThrough, partsOf, type SizedRow } from './text-search.ts'
import { THREAD_COLUMNS, THREAD_COLUMNS_WITHOUT_STATE, toThread } from './thread-rows.ts'

export function createThreadSearch(db: Db) {
  return {
    search: (query: ThreadQuery, page: ThreadPage): Promise<Thread[]> =>
      db.snapshot((tx) => search(tx, query, page)),
    findText: (
      query: ThreadQuery,
      text: string,
      order: ThreadOrder,
      onBytes?: (bytes: number) => void,
    ) => findText(db, query, text, order, onBytes),
    searchUpTo: (query: ThreadQuery, page: ThreadPage, size: PageSize) =>
      searchUpTo(db, query, page, size),
    count: (query: ThreadQuery, atMost = Number.MAX_SAFE_INTEGER): Promise<number> =>
      db.snapshot((tx) => count(tx, query, atMost)),
  }
}

/** Within a transaction: adds the labels by which the thread is found. */
export async function addThreadLabels(
  tx: Db,
  { thread_id, created_at, metadata }: Pick<NewThread, 'thread_id' | 'created_at' | 'metadata'>,
): Promise<void> {
  const labels = labelsOf(metadata)
  if (Object.keys(labels).length === 0) return
  await tx.runAhead(
    `INSERT INTO thread_labels (key, value, created_at, thread_id)
     SELECT label.key, label.value, $2, $1 FROM ${tx.json.entries('$3')} AS label`,
    [thread_id, created_at, JSON.stringify(labels)],
  )
}

/** Only within a transaction. */
export async function removeThreadLabels(tx: Db, thread_id: string): Promise<void> {
  await tx.runAhead('DELETE FROM thread_labels WHERE thread_id = $1', [thread_id])
}

interface PageSize {
  maxBytes: number
  onBytes?(bytes: number): void
}

/** The columns that may be large. */
const BYTES = 'octet_length(t.metadata) + octet_length(t.config)'
const STATE_BYTES = 'coalesce(octet_length(t.state), 0)'

/**
 * Reads the sizes first, so that what does not fit is not read. A large page is read in parts, with a turn of the event
 * loop between them. Only the first is of the same snapshot as the sizes: on SQLite nothing else is read during one.
 */
async function searchUpTo(
  db: Db,
  query: ThreadQuery,
  page: ThreadPage,
  { maxBytes, onBytes }: PageSize,
): Promise<{ threads: Thread[]; isCut: boolean }> {
  const hasState = page.hasState !== false
  const size = hasState ? `${BYTES} + ${STATE_BYTES}` : BYTES
  const columns = `t.thread_id AS id, ${size} AS bytes`
  const { listed, rest, threads } = await db.snapshot(async (tx) => {
    const listed = await findRows<SizedRow>(tx, query, page, columns)
    const fit = fitting(listed, maxBytes)
    onBytes?.(fit.bytes)
    const [first, ...rest] = partsOf(listed.slice(0, fit.count))
    return { listed, rest, threads: await readInOrder(tx, first?.ids ?? [], hasState) }
  })
  for (const { ids } of rest) {
    await turn()
    const part = { ...page, limit: ids.length, offset: 0 }
    threads.push(...(await db.snapshot((tx) => search(tx, { ...query, ids }, part))))
  }
  return { threads, isCut: threads.length < listed.length }
}

type ThreadOrder = Pick<ThreadPage, 'sort_by' | 'sort_order'>

/** No snapshot: the threads may change between the steps. */
async function findText(
  db: Db,
  query: ThreadQuery,
  text: string,
  order: ThreadOrder,
  onBytes?: (bytes: number) => void,
): Promise<{ ids: string[]; lookedAt?: number }> {
  const all = { ...order, limit: LISTED_ROWS, offset: 0 }
  const columns = `t.thread_id AS id, ${STATE_BYTES} AS bytes`
  const rows = await db.snapshot((tx) => findRows<SizedRow>(tx, query, all, columns))
  return lookThrough(rows, (ids) => withText(db, ids, text.toLowerCase()), onBytes)
}

/** Those of the threads whose state mentions the text, in any order. */
async function withText(db: Db, ids: string[], folded: string): Promise<string[]> {
  const sql = `SELECT t.thread_id, t.state FROM threads AS t
    WHERE t.state IS NOT NULL AND t.thread_id IN ${db.json.texts('$1')}`
  const rows = await db.all<{ thread_id: string; state: string }>(sql, [JSON.stringify(ids)])
  const isMeant = ({ state }: { state: string }) => {
    if (lacksText(state, folded)) return false
    const { values, interrupts } = parseJson(state) as ThreadState
    return mentions([values, ...interrupts.map(({ value }) => value)], folded)
  }
  return rows.filter(isMeant).map(({ thread_id }) => thread_id)
}

async function readInOrder(tx: Db, ids: string[], hasState: boolean): Promise<Thread[]> {
  if (ids.length === 0) return []
  const columns = hasState ? THREAD_COLUMNS : THREAD_COLUMNS_WITHOUT_STATE
  const sql = `SELECT ${columns} FROM threads AS t WHERE t.thread_id IN ${tx.json.texts('$1')}`
  const rows = await tx.all<{ thread_id: string }>(sql, [JSON.stringify(ids)])
  const byId = new Map(rows.map((row) => [row.thread_id, row]))
  return ids.flatMap((id) => {
    const row = byId.get(id)
    return row ? [toThread(row)] : []
  })
}

async function search(tx: Db, query: ThreadQuery, page: ThreadPage): Promise<Thread[]> {
  const columns = page.hasState === false ? THREAD_COLUMNS_WITHOUT_STATE : THREAD_COLUMNS
  return (await findRows<object>(tx, query, page, columns)).map(toThread)
}

async function findRows<Row>(
  tx: Db,
  query: ThreadQuery,
  page: ThreadPage,
  columns: string,
): Promise<Row[]> {
  const wanted = splitQuery(query)
  const label = wanted && (await countLabels(tx, 'thread_labels', wanted.labels))[0]
  if (!wanted || label?.count === 0) return []
  const isInOrder = page.sort_by === 'created_at'
  // Sorting many threads does not pay.
  const start = label && (isInOrder || label.count <= COMMON) ? label : undefined
  const { conditions, params } = conditionsOf(tx, wanted, start)
  if (start) conditions.push(OF_LABEL)
  const sql = `
    SELECT ${columns} FROM ${start ? LABELLED : ALL}
    WHERE ${conditions.join(' AND ')} ORDER BY ${orderOf(page, start ? 'label' : 't')}
    LIMIT $${params.push(page.limit)} OFFSET $${params.push(page.offset)}`
  return tx.all<Row>(sql, params)
}

async function count(tx: Db, query: ThreadQuery, atMost: number): Promise<number> {
  const wanted = splitQuery(query)
  const label = wanted && (await countLabels(tx, 'thread_labels', wanted.labels))[0]
  if (!wanted || label?.count === 0) return 0
  const { conditions, isOfLabels, params } = conditionsOf(tx, wanted, label)
  if (label && !isOfLabels) conditions.push(OF_LABEL)
  const from = isOfLabels ? 'thread_labels AS label' : LABELLED
  const sql = `
    SELECT count(*) AS n FROM (
      SELECT 1 FROM ${label ? from : ALL} WHERE ${conditions.join(' AND ')}
      LIMIT $${params.push(atMost)}
    ) AS counted`
  return Number((await tx.get<{ n: number }>(sql, params))?.n)
}

const ALL = 'threads AS t'
// CROSS JOIN keeps SQLite to this order: from the label to its threads, not the other way round.
const LABELLED = 'thread_labels AS label CROSS JOIN threads AS t'
const OF_LABEL = 't.thread_id = label.thread_id'

interface Wanted extends ThreadQuery {
  /** The plain values that the metadata must have, as JSON. */
  labels: Record<string, string>
}

/** Splits off the labels. `undefined`: the query contradicts itself. */
function splitQuery({ metadata = {}, filter = {}, ...rest }: ThreadQuery): Wanted | undefined {
  const split = splitLabels({ metadata, filter })
  return split && { ...rest, ...split }
}

/**
 * The conditions on the rows of `ALL`, or with `start` on those of `LABELLED`. `isOfLabels`: there are no
 * other conditions than labels.
 */
function conditionsOf(
  { json }: Db,
  wanted: Wanted,
  start: CountedLabel | undefined,
): { conditions: string[]; isOfLabels: boolean; params: SqlValue[] } {
  const params: SqlValue[] = []
  const place = (value: SqlValue) => `$${params.push(value)}`
  const { ids, values, status, metadata = {}, filter = {}, exclude_metadata = [] } = wanted
  const { updated_after, updated_before } = wanted
  const first = start
    ? `label.key = ${place(start.key)} AND label.value = ${place(start.value)}`
    : 't.purge_at IS NULL'
  const others = start ? without(wanted.labels, { [start.key]: true }) : wanted.labels
  const otherLabels = labelConditions(json, start ? 'label' : 't', others, place)
  const ofThread = [
    ...(ids ? [`t.thread_id IN ${json.texts(place(JSON.stringify(ids)))}`] : []),
    ...(status ? [`t.status = ${place(status)}`] : []),
    ...(updated_after ? [`t.updated_at >= ${place(updated_after)}`] : []),
    ...(updated_before ? [`t.updated_at < ${place(updated_before)}`] : []),
    ...metadataConditions(json, { metadata, filter }, params),
    ...(exclude_metadata.length > 0 ? [excludedCondition(json, exclude_metadata, place)] : []),
    ...(isEmpty(values) ? [] : [json.contains('t.state', place(JSON.stringify({ values })))]),
  ]
  return {
    conditions: [first, ...otherLabels, ...ofThread],
    isOfLabels: ofThread.length === 0,
    params,
  }
}

/** Up to this many labels are separate conditions, which is fastest. There must be few SQL texts. */
const SINGLE_LABELS = 4

/** The condition that a row of `table`, which has `created_at` and `thread_id`, has all of these labels. */
function labelConditions(
  json: Db['json'],
  table: 'label' | 't',
  labels: Record<string, string>,
  place: (value: SqlValue) => string,
): string[] {
  const has = (key: string, value: string) => `EXISTS (
    SELECT 1 FROM thread_labels AS l WHERE l.key = ${key} AND l.value = ${value}
      AND l.created_at = ${table}.created_at AND l.thread_id = ${table}.thread_id)`
  const entries = Object.entries(labels)
  const single = entries.slice(0, SINGLE_LABELS)
  const rest = Object.fromEntries(entries.slice(SINGLE_LABELS))
  const conditions = single.map(([key, value]) => has(place(key), place(value)))
  if (isEmpty(rest)) return conditions
  const wanted = json.entries(place(JSON.stringify(rest)))
  const all = `NOT EXISTS (SELECT 1 FROM ${wanted} AS w WHERE NOT ${has('w.key', 'w.value')})`
  return [...conditions, all]
}

/** The condition that the metadata contain none of these. One SQL text for any number of them. */
function excludedCondition(
  json: Db['json'],
  excluded: readonly object[],
  place: (value: SqlValue) => string,
): string {
  const texts = Object.fromEntries(excluded.map((one, at) => [at, JSON.stringify(one)]))
  return `NOT EXISTS (SELECT 1 FROM ${json.entries(place(JSON.stringify(texts)))} AS x
    WHERE ${json.contains('t.metadata', 'x.value')})`
}

/** The order of the indexes. The label table has its own copy of the sorted columns. */
function orderOf({ sort_by, sort_order }: ThreadPage, table: 'label' | 't'): string {
  const direction = sort_order === 'asc' ? 'ASC' : 'DESC'
  const columns = {
    thread_id: ['t.thread_id'],
    status: ['t.status', 't.created_at', 't.thread_id'],
    created_at: [`${table}.created_at`, `${table}.thread_id`],
    updated_at: ['t.updated_at', 't.thread_id'],
    state_updated_at: ['t.state_updated_at', 't.thread_id'],
  }[sort_by]
  return columns.map((column) => `${column} ${direction}`).join(', ')
}

function isEmpty(object: object | undefined): boolean {
  return !object || Object.keys(object).length === 0
}
