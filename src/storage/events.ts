/** The `events` table. Numbers are given in the transaction that writes. */
import {
  END_EVENT,
  type EventStore,
  type LoggedEvent,
  type NewEvent,
  type RunEvent,
  STATE_UPDATE_EVENT,
  type ThreadEvent,
} from '../core/event.ts'
import type { Db } from './db.ts'
import { decodeRow } from './json-columns.ts'
import { holdsLease } from './leases.ts'

const COLUMNS = 'thread_id, seq, run_id, run_seq, event, data, created_at'

const COUNT = `
INSERT INTO event_counters (thread_id, last_seq) VALUES ($1, $2)
ON CONFLICT (thread_id) DO UPDATE SET last_seq = event_counters.last_seq + excluded.last_seq
RETURNING last_seq`

const LAST_OF_RUN = 'SELECT coalesce(max(run_seq), -1) AS last FROM events WHERE run_id = $1'

const INSERT = `INSERT INTO events (${COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7)`

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

const NOTE_EXPIRED = `
UPDATE event_counters SET expired_seq = (
  SELECT max(events.seq) FROM events
  WHERE events.thread_id = event_counters.thread_id AND events.run_id IN (${ENDED})
) WHERE thread_id IN (
  SELECT thread_id FROM events WHERE event = '${END_EVENT}' AND created_at < $1
)`

const EXPIRE = `DELETE FROM events WHERE run_id IN (${ENDED})`

const EXPIRED_OF_THREAD = 'SELECT expired_seq FROM event_counters WHERE thread_id = $1'

const EXPIRE_OF_THREADS = `
DELETE FROM events WHERE event = '${STATE_UPDATE_EVENT}' AND created_at < $1`

export function createEventStore(db: Db): EventStore {
  return {
    append: (to, events) =>
      db.transaction(async (tx) => {
        if (to.lease && !(await holdsLease(tx, to.lease))) return undefined
        const logged = await number(tx, to, events)
        for (const event of logged) await insert(tx, event)
        return logged
      }, []),
    appendToThread: ({ thread_id, created_at }, events) =>
      db.transaction(async (tx) => {
        const firstSeq = await takeSeqs(tx, thread_id, events.length)
        const place = { thread_id, run_id: null, run_seq: null, created_at }
        for (const [i, event] of events.entries()) {
          await insert(tx, { ...event, ...place, seq: firstSeq + i })
        }
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
  const firstSeq = await takeSeqs(tx, thread_id, events.length)
  const ofRun = await tx.get<{ last: number }>(LAST_OF_RUN, [run_id])
  let lastRunSeq = ofRun?.last ?? -1
  return events.map(({ event, data, isOfThreadOnly }, i) => {
    const run_seq = isOfThreadOnly ? null : ++lastRunSeq
    return { thread_id, seq: firstSeq + i, run_id, run_seq, event, data, created_at }
  })
}

async function insert(tx: Db, event: ThreadEvent): Promise<void> {
  const { thread_id, seq, run_id, run_seq, event: name, data, created_at } = event
  await tx.run(INSERT, [thread_id, seq, run_id, run_seq, name, data, created_at])
}
