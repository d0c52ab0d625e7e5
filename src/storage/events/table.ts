/** Reads the `events` table. */
import type { EventStore, LoggedEvent, RunEvent, ThreadEvent } from '../../core/agent/event.ts'
import type { Db, SqlValue } from '../db/db.ts'
import { appendEvents, appendToThread, areWritten } from './appends.ts'
import { deleteRunEvents, expireEvents } from './expiry.ts'
import { EVENT_COLUMNS, type EventRow, putListsBack } from './lists.ts'

const COLUMNS = EVENT_COLUMNS.join(', ')

const READ = `
SELECT ${COLUMNS} FROM events WHERE run_id = $1 AND run_seq > $2 ORDER BY run_seq LIMIT $3`

const READ_MESSAGES = `
SELECT ${COLUMNS} FROM events
WHERE run_id = $1 AND run_seq > $2 AND run_seq < $3 AND substr(event, 1, 9) = 'messages/'
ORDER BY run_seq LIMIT $4`

const READ_THREAD = `
SELECT ${COLUMNS} FROM events WHERE thread_id = $1 AND seq > $2 ORDER BY seq LIMIT $3`

const READ_RUN = `
SELECT ${COLUMNS} FROM events
WHERE thread_id = $1 AND run_id = $2 AND seq > $3 ORDER BY seq LIMIT $4`

const READ_NAMES = `
SELECT seq, event FROM events WHERE thread_id = $1 AND seq > $2 ORDER BY seq LIMIT $3`

const READ_LIFECYCLE = `
SELECT ${COLUMNS} FROM events
WHERE run_id = $1 AND substr(event, 1, 18) = 'protocol/lifecycle' ORDER BY seq`

const LAST_BEFORE = 'SELECT max(run_seq) AS last FROM events WHERE run_id = $1 AND created_at < $2'

const LAST_OF_THREAD = 'SELECT last_seq FROM event_counters WHERE thread_id = $1'

const EXPIRED_OF_THREAD = 'SELECT expired_seq FROM event_counters WHERE thread_id = $1'

export function createEventStore(db: Db): EventStore {
  return {
    append: (to, events) => appendEvents(db, to, events),
    areWritten: (events) => areWritten(db, events),
    appendToThread: (to, events) => appendToThread(db, to, events),
    read: (run_id, after, limit) => read<LoggedEvent>(db, READ, [run_id, after, limit]),
    async lastBefore(run_id, created_at) {
      const row = await db.get<{ last: number | null }>(LAST_BEFORE, [run_id, created_at])
      return row?.last ?? -1
    },
    readMessages: (run_id, { after, before }, limit) =>
      read<LoggedEvent>(db, READ_MESSAGES, [run_id, after, before, limit]),
    readThread: (thread_id, after, limit) =>
      read<ThreadEvent>(db, READ_THREAD, [thread_id, after, limit]),
    readRun: ({ thread_id, run_id }, after, limit) =>
      read<RunEvent>(db, READ_RUN, [thread_id, run_id, after, limit]),
    readNames: (thread_id, after, limit) => db.all(READ_NAMES, [thread_id, after, limit]),
    readLifecycle: (run_id) => read<RunEvent>(db, READ_LIFECYCLE, [run_id]),
    async lastSeq(thread_id) {
      const row = await db.get<{ last_seq: number }>(LAST_OF_THREAD, [thread_id])
      return row?.last_seq ?? 0
    },
    async expiredSeq(thread_id) {
      const row = await db.get<{ expired_seq: number }>(EXPIRED_OF_THREAD, [thread_id])
      return row?.expired_seq ?? 0
    },
    deleteRun: (run_id) => deleteRunEvents(db, run_id),
    expire: (before, signal) => expireEvents(db, before, signal),
  }
}

/** Reads events that all belong to one thread. */
async function read<T extends ThreadEvent>(db: Db, sql: string, params: SqlValue[]): Promise<T[]> {
  const rows = await db.all<EventRow>(sql, params)
  if (rows.every(({ lists }) => lists === null)) return putListsBack(db, rows)
  // Reads again, together with the parts in one state of the database: they may have expired meanwhile.
  return db.snapshot(async (tx) => putListsBack(tx, await tx.all<EventRow>(sql, params)))
}
