/** Removes events from the `events` table, with the parts that only they use. */
import { END_EVENT, STATE_UPDATE_EVENT } from '../../core/agent/event.ts'
import type { Db } from '../db/db.ts'
import { deleteUnusedEventParts } from './lists.ts'

const DELETE_RUN = 'DELETE FROM events WHERE run_id = $1 RETURNING thread_id, lists'

/** Keeps others from adding events to the thread until the transaction ends. */
const HOLD = 'SELECT 1 FROM event_counters WHERE thread_id = $1'

/** See `EventStore.deleteRun`. */
export function deleteRunEvents(db: Db, run_id: string): Promise<void> {
  return db.transaction(async (tx) => {
    const rows = await tx.all<{ thread_id: string; lists: string | null }>(DELETE_RUN, [run_id])
    const sharing = rows.find(({ lists }) => lists !== null)
    if (!sharing) return
    await tx.get(HOLD + tx.rowLocks.wait, [sharing.thread_id])
    await deleteUnusedEventParts(tx, sharing.thread_id)
  }, [])
}

/**
 * Deletes the parts that are not needed any more. Most threads that lose events have none left, so that
 * all their parts go at once.
 */
async function giveBackParts(tx: Db, thread_ids: string[]): Promise<void> {
  if (thread_ids.length === 0) return
  const isForOthers = `thread_id IN ${tx.json.texts('$1')}`
  const params = [JSON.stringify(thread_ids)]
  const hold = `SELECT 1 FROM event_counters WHERE ${isForOthers} ORDER BY thread_id`
  await tx.all(hold + tx.rowLocks.wait, params)
  await tx.run(
    `DELETE FROM event_parts WHERE ${isForOthers} AND thread_id NOT IN (
       SELECT thread_id FROM events WHERE ${isForOthers} AND lists IS NOT NULL)`,
    params,
  )
  const sharing = `SELECT DISTINCT thread_id FROM event_parts WHERE ${isForOthers}`
  for (const { thread_id } of await tx.all<{ thread_id: string }>(sharing, params)) {
    await deleteUnusedEventParts(tx, thread_id)
  }
}

const isOld = (event: string) => `event = '${event}' AND created_at < $1`

const ENDED = `SELECT run_id FROM events WHERE ${isOld(END_EVENT)}`

/** The threads that lose events and have parts. */
const SHARING = `
SELECT thread_id FROM (
  SELECT thread_id FROM events WHERE ${isOld(END_EVENT)}
  UNION SELECT thread_id FROM events WHERE ${isOld(STATE_UPDATE_EVENT)}
) AS losing
WHERE EXISTS (SELECT 1 FROM event_parts WHERE event_parts.thread_id = losing.thread_id)`

// A run's end is the last of its events. It is looked up once for each thread. A condition on each event
// might make PostgreSQL read a long log for each of them.
const NOTE_EXPIRED = `
UPDATE event_counters SET expired_seq = ended.seq
FROM (
  SELECT thread_id, max(seq) AS seq FROM events WHERE ${isOld(END_EVENT)} GROUP BY thread_id
) AS ended
WHERE event_counters.thread_id = ended.thread_id AND event_counters.expired_seq < ended.seq`

const EXPIRE_RUNS = `DELETE FROM events WHERE run_id IN (${ENDED})`

const EXPIRE_UPDATES = `DELETE FROM events WHERE ${isOld(STATE_UPDATE_EVENT)}`

/** See `EventStore.expire`. */
export function expireEvents(db: Db, before: number): Promise<number> {
  return db.transaction(async (tx) => {
    const sharing = await tx.all<{ thread_id: string }>(SHARING, [before])
    await tx.run(NOTE_EXPIRED, [before])
    const ofRuns = await tx.run(EXPIRE_RUNS, [before])
    const ofThreads = await tx.run(EXPIRE_UPDATES, [before])
    await giveBackParts(
      tx,
      sharing.map(({ thread_id }) => thread_id),
    )
    return ofRuns + ofThreads
  }, [])
}
