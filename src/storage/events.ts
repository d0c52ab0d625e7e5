/** The `events` table. Numbers are given in the transaction that writes. */

import { AppError } from '../core/errors.ts'
import {
  END_EVENT,
  type EventStore,
  type LoggedEvent,
  type NewEvent,
  type RunEvent,
  STATE_UPDATE_EVENT,
  type ThreadEvent,
} from '../core/event.ts'
import type { Db, SqlValue } from './db.ts'
import { decodeRow } from './json-columns.ts'
import { holdsLease } from './leases.ts'

const COLUMN_NAMES = [
  'thread_id',
  'seq',
  'run_id',
  'run_seq',
  'event',
  'data',
  'created_at',
] as const
const COLUMNS = COLUMN_NAMES.join(', ')

const COUNT = `
INSERT INTO event_counters (thread_id, last_seq) VALUES ($1, $2)
ON CONFLICT (thread_id) DO UPDATE SET last_seq = event_counters.last_seq + excluded.last_seq
RETURNING last_seq`

const LAST_OF_RUN = 'SELECT coalesce(max(run_seq), -1) AS last FROM events WHERE run_id = $1'

const AT = `SELECT ${COLUMNS} FROM events WHERE thread_id = $1 AND seq = $2`

const READ = `
SELECT ${COLUMNS} FROM events WHERE run_id = $1 AND run_seq > $2 ORDER BY run_seq LIMIT $3`

const READ_MESSAGES = `
SELECT ${COLUMNS} FROM events
WHERE run_id = $1 AND run_seq > $2 AND run_seq < $3 AND substr(event, 1, 9) = 'messages/'
ORDER BY run_seq LIMIT $4`

const READ_THREAD = `
SELECT ${COLUMNS} FROM events WHERE thread_id = $1 AND seq > $2 ORDER BY seq LIMIT $3`

const READ_RUN = `
SELECT ${COLUMNS} FROM events WHERE run_id = $1 AND seq > $2 ORDER BY seq LIMIT $3`

const READ_NAMES = `
SELECT seq, event FROM events WHERE thread_id = $1 AND seq > $2 ORDER BY seq LIMIT $3`

const READ_LIFECYCLE = `
SELECT ${COLUMNS} FROM events
WHERE run_id = $1 AND substr(event, 1, 18) = 'protocol/lifecycle' ORDER BY seq`

const LAST_OF_THREAD = 'SELECT last_seq FROM event_counters WHERE thread_id = $1'

const ENDED = `
SELECT run_id FROM events WHERE event = '${END_EVENT}' AND created_at < $1`

// A run's end is the last of its events. Each thread's is looked for once: asked of each event, PostgreSQL
// may go through all of a long log for each event of it.
const NOTE_EXPIRED = `
UPDATE event_counters SET expired_seq = ended.seq
FROM (
  SELECT thread_id, max(seq) AS seq FROM events
  WHERE event = '${END_EVENT}' AND created_at < $1 GROUP BY thread_id
) AS ended
WHERE event_counters.thread_id = ended.thread_id AND event_counters.expired_seq < ended.seq`

const EXPIRE = `DELETE FROM events WHERE run_id IN (${ENDED})`

const EXPIRED_OF_THREAD = 'SELECT expired_seq FROM event_counters WHERE thread_id = $1'

const EXPIRE_OF_THREADS = `
DELETE FROM events WHERE event = '${STATE_UPDATE_EVENT}' AND created_at < $1`

export function createEventStore(db: Db): EventStore {
  return {
    append: (to, events) => append(db, to, events),
    areWritten: (events) => areWritten(db, events),
    appendToThread: ({ thread_id, created_at }, events) =>
      db.transaction(async (tx) => {
        const firstSeq = await takeSeqs(tx, thread_id, events.length)
        const place = { thread_id, run_id: null, run_seq: null, created_at }
        const numbered = events.map((event, i) => ({ ...event, ...place, seq: firstSeq + i }))
        await insert(tx, numbered)
      }, []),
    async read(run_id, after, limit) {
      const rows = await db.all(READ, [run_id, after, limit])
      return rows.map((row) => decodeRow<LoggedEvent>(row, []))
    },
    async readMessages(run_id, { after, before }, limit) {
      const rows = await db.all(READ_MESSAGES, [run_id, after, before, limit])
      return rows.map((row) => decodeRow<LoggedEvent>(row, []))
    },
    async readThread(thread_id, after, limit) {
      const rows = await db.all(READ_THREAD, [thread_id, after, limit])
      return rows.map((row) => decodeRow<ThreadEvent>(row, []))
    },
    async readRun(run_id, after, limit) {
      const rows = await db.all(READ_RUN, [run_id, after, limit])
      return rows.map((row) => decodeRow<RunEvent>(row, []))
    },
    readNames: (thread_id, after, limit) => db.all(READ_NAMES, [thread_id, after, limit]),
    async readLifecycle(run_id) {
      const rows = await db.all(READ_LIFECYCLE, [run_id])
      return rows.map((row) => decodeRow<RunEvent>(row, []))
    },
    async lastSeq(thread_id) {
      const row = await db.get<{ last_seq: number }>(LAST_OF_THREAD, [thread_id])
      return row?.last_seq ?? 0
    },
    async expiredSeq(thread_id) {
      const row = await db.get<{ expired_seq: number }>(EXPIRED_OF_THREAD, [thread_id])
      return row?.expired_seq ?? 0
    },
    async deleteRun(run_id) {
      await db.run('DELETE FROM events WHERE run_id = $1', [run_id])
    },
    expire: (before) =>
      db.transaction(async (tx) => {
        await tx.run(NOTE_EXPIRED, [before])
        const ofRuns = await tx.run(EXPIRE, [before])
        return ofRuns + (await tx.run(EXPIRE_OF_THREADS, [before]))
      }, []),
  }
}

/** Thrown, so that the numbers that were taken are given back. */
const LOST = new AppError('conflict', 'The lease was lost.')

/**
 * What does not wait for another's answer is asked together: on PostgreSQL two round trips and the
 * commit, instead of one for each event. Measured for 20 events of 200 bytes: 0.34 ms instead of 0.78
 * there, on SQLite 0.055 ms instead of 0.041.
 */
async function append(
  db: Db,
  to: Parameters<EventStore['append']>[0],
  events: NewEvent[],
): Promise<RunEvent[] | undefined> {
  const work = async (tx: Db) => {
    const held = to.lease ? holdsLease(tx, to.lease) : true
    const [isHeld, numbered] = await Promise.all([held, number(tx, to, events)])
    if (!isHeld) throw LOST
    await insert(tx, numbered)
    return numbered
  }
  try {
    return await db.transaction(work, [], areWritten)
  } catch (error) {
    if (error === LOST) return undefined
    throw error
  }
}

/** Were they not, another may have been given their numbers meanwhile. */
async function areWritten(tx: Db, [first]: readonly RunEvent[]): Promise<boolean> {
  if (!first) return true
  // Who has numbered events of the thread is waited for, also where they were its first.
  await takeSeqs(tx, first.thread_id, 0)
  const row = await tx.get(AT, [first.thread_id, first.seq])
  const keys = ['run_id', 'run_seq', 'event', 'data', 'created_at'] as const
  return row !== undefined && keys.every((key) => row[key] === first[key])
}

/** Takes the thread's next `count` numbers and answers the first of them. */
async function takeSeqs(tx: Db, thread_id: string, count: number): Promise<number> {
  const counter = await tx.get<{ last_seq: number }>(COUNT, [thread_id, count])
  return (counter?.last_seq ?? count) - count + 1
}

async function number(
  tx: Db,
  { thread_id, run_id, created_at }: { thread_id: string; run_id: string; created_at: number },
  events: NewEvent[],
): Promise<RunEvent[]> {
  if (events.length === 0) return []
  // In this order: who has the thread's next numbers is the only one to write to its runs.
  const [firstSeq, ofRun] = await Promise.all([
    takeSeqs(tx, thread_id, events.length),
    tx.get<{ last: number }>(LAST_OF_RUN, [run_id]),
  ])
  let lastRunSeq = ofRun?.last ?? -1
  return events.map(({ event, data, isOfThreadOnly }, i) => {
    const run_seq = isOfThreadOnly ? null : ++lastRunSeq
    return { thread_id, seq: firstSeq + i, run_id, run_seq, event, data, created_at }
  })
}

/** So many rows at most are added by one statement; fewer are added by powers of two, to have few texts. */
const MAX_ROWS = 32

async function insert(tx: Db, events: readonly ThreadEvent[]): Promise<void> {
  const written: Promise<number>[] = []
  for (let at = 0; at < events.length; ) {
    const rows = Math.min(MAX_ROWS, 2 ** Math.floor(Math.log2(events.length - at)))
    const params: SqlValue[] = []
    const values = events.slice(at, at + rows).map((event) => {
      const row = COLUMN_NAMES.map((column) => `$${params.push(event[column])}`)
      return `(${row.join(', ')})`
    })
    written.push(tx.run(`INSERT INTO events (${COLUMNS}) VALUES ${values.join(', ')}`, params))
    at += rows
  }
  await Promise.all(written)
}
